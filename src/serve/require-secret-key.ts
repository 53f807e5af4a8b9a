/** Second factors need `ig.secretKey` (specification 34.21). */
import { missingSecretKey } from '../base/secret-key.ts'
import { type Settings, SettingsProblems } from '../settings.ts'
import type { Store } from '../store/store.ts'

/** Where the setting is missing. @throws SettingsProblems if an administrator has an authenticator app, or must be able to add one */
export async function requireKeyForFactors(
  { admin }: Pick<Settings, 'admin'>,
  { administration }: Pick<Store, 'administration'>,
): Promise<void> {
  const factors = await administration.factors.list()
  if (admin?.secondFactor === 'required' || factors.some(({ kind }) => kind === 'totp'))
    throw new SettingsProblems([{ path: 'ig.secretKey', message: missingSecretKey }])
}
