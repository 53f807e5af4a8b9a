/** The contract of session tokens in the store (specification 27): signing keys and revocations. */

import type { ValueChange } from '../../store/operator-store.ts'
import type { RevokedToken, SessionGeneration, SessionKey, SessionTokenState } from './session-token.ts'

export type NewSessionKey = Pick<SessionKey, 'id' | 'publicKey' | 'privateKey' | 'created'>

/** A change takes an epoch of the operators: every process sees it within a second. */
export interface SessionTokenStore {
  /** Keys, the newest first, and what is revoked. */
  read(): Promise<SessionTokenState>
  /** All keys, and what was revoked since an epoch of the operators. */
  changedSince(epoch: number): Promise<SessionTokenState>
  /** Adds the key, which signs at once, if no key signs or will. @returns all keys */
  ensureKey(key: NewSessionKey): Promise<readonly SessionKey[]>
  /** Adds a key that signs from then on; the keys before verify for a lifetime longer. */
  rotateKey(key: NewSessionKey, times: { readonly signs: number; readonly lifetime: number }): Promise<true>
  /**
   * Ends a key at once; the replacement is added, and signs at once, if no other key signs.
   * @returns false if no such key exists, or it has ended
   */
  revokeKey(id: string, replacement: NewSessionKey): Promise<boolean>
  /** @returns false if no such operator exists */
  revokeOperator(operatorId: string): Promise<ValueChange<Pick<SessionGeneration, 'generation'>> | false>
  /** @returns false if it is already revoked */
  revokeToken(token: RevokedToken, now: number): Promise<boolean>
  /** Replaces the private part of a key that is still sealed as it was read. */
  resealKey(key: Pick<SessionKey, 'id' | 'privateKey'>, sealed: string): Promise<boolean>
}
