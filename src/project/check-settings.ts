/** What a configuration needs of the settings, checked before it is active instead of at the first call (specification 3.16, 27.6). */
import { missingSecretKey } from '../base/secret-key.ts'
import type { Configuration } from '../configuration/configuration.ts'
import type { Problem } from '../model/problem.ts'
import { verificationOf } from '../model/verification.ts'
import { type Settings, SettingsProblems } from '../settings.ts'
import { checkAuthorizationServer } from '../verification/oauth2/service-app.ts'

type KeySettings = Pick<Settings, 'authorizationServer' | 'jsonWebKey' | 'secretKey'>
type Definitions = Pick<Configuration, 'oauth2ServiceApps' | 'operations'>

export function checkSettings(
  settings: KeySettings,
  { oauth2ServiceApps, operations }: Definitions,
): readonly Problem[] {
  const needsKey = operations.some(({ verification }) => verificationOf(verification).issuedBy === 'gateway')
  return [
    ...checkAuthorizationServer(settings, oauth2ServiceApps),
    ...(needsKey && !settings.secretKey ? [{ path: 'ig.secretKey', message: missingSecretKey }] : []),
  ]
}

/** @throws SettingsProblems */
export function requireSettingsOf(settings: KeySettings, configuration: Definitions): void {
  const problems = checkSettings(settings, configuration)
  if (problems.length > 0) throw new SettingsProblems(problems)
}
