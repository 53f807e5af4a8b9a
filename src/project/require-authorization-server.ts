/**
 * `ig.AuthorizationServer` must name a service app of the configuration; checked at start instead of at the first token
 * (specification 3.16).
 */
import type { Configuration } from '../model/configuration/configuration.ts'
import { type Settings, SettingsProblems } from '../settings.ts'
import { checkAuthorizationServer } from '../steps/credentials/service-app.ts'

/** @throws SettingsProblems */
export function requireAuthorizationServer(settings: Settings, { oauth2ServiceApps }: Configuration): void {
  const problems = checkAuthorizationServer(settings, oauth2ServiceApps)
  if (problems.length > 0) throw new SettingsProblems(problems)
}
