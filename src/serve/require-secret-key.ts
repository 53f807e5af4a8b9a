/** No process starts that cannot read the secrets of its store (specification 27.32). */
import { missingSecretKey, sealedBy } from '../base/secret-key.ts'
import type { SessionKey } from '../model/session-token.ts'
import { type Settings, SettingsProblems } from '../settings.ts'
import { StoreUnavailable } from '../store/faults.ts'
import type { Store } from '../store/store.ts'

/** @throws StoreUnavailable */
export function requireSecretKey(
  { secretKey }: Pick<Settings, 'secretKey'>,
  sessionTokens: { readonly keys: readonly Pick<SessionKey, 'privateKey'>[] } | undefined,
): void {
  const known = new Set(secretKey?.all.map(({ id }) => id))
  const ids = (sessionTokens?.keys ?? []).map(({ privateKey }) => sealedBy(privateKey))
  const missing = [...new Set(ids)].filter((id) => !known.has(id))
  if (missing.length === 0) return
  const state = secretKey ? `ig.secretKey is another one (${secretKey.id})` : 'ig.secretKey is not set'
  throw new StoreUnavailable(
    `The store has secrets that are encrypted with the key ${missing.join(', ')}, and ${state}. Set it as ig.secretKey, or as ig.secretKey.previous until ig secret-key rotate has replaced it.`,
  )
}

/** Where the setting is missing. @throws SettingsProblems if an administrator has an authenticator app, or must be able to add one */
export async function requireKeyForFactors(
  { admin }: Pick<Settings, 'admin'>,
  { administration }: Pick<Store, 'administration'>,
): Promise<void> {
  const factors = await administration.factors.list()
  if (admin?.secondFactor === 'required' || factors.some(({ kind }) => kind === 'totp'))
    throw new SettingsProblems([{ path: 'ig.secretKey', message: missingSecretKey }])
}
