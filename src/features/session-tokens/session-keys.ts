/** The keys of session tokens (specification 27.6 to 27.9): made, sealed for the store, and opened for use. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { openText, type SecretKey, sealText } from '../../base/secret-key.ts'
import type { Databases } from '../../store/feature-tables.ts'
import type { StoredSecret } from '../../store/secrets.ts'
import type { NewSessionKey } from './contract.ts'
import { openSessionTokenRows } from './rows.ts'
import { publicJwk, type SessionKey, sessionKeyId } from './session-token.ts'

/** Milliseconds after which a new key signs: every process has read it by then. */
export const signsAfter = 3_000
/** Milliseconds: no token is valid for longer. */
export const maxSessionLife = 30 * 24 * 3_600_000

/** @param created epoch milliseconds of the database */
export function makeSessionKey(secretKey: SecretKey | undefined, created: number): NewSessionKey {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const id = sessionKeyId(x)
  return { id, publicKey: x, privateKey: sealText(secretKey, sessionKeyPurpose(id), d), created }
}

function sessionKeyPurpose(id: string): string {
  return `session token key ${id}`
}

export function openPublicKey(publicKey: string): KeyObject {
  return createPublicKey({ key: publicJwk(publicKey), format: 'jwk' })
}

/** @throws Error if `ig.secretKey` is not the one that sealed it */
export function openPrivateKey({ id, publicKey, privateKey }: SessionKey, secretKey: SecretKey | undefined): KeyObject {
  const d = openText(secretKey, sessionKeyPurpose(id), privateKey)
  return createPrivateKey({ key: { ...publicJwk(publicKey), d }, format: 'jwk' })
}

export async function listKeySecrets(databases: Databases): Promise<readonly StoredSecret[]> {
  const rows = openSessionTokenRows(databases)
  const { keys } = await rows.read()
  return keys.map((key) => ({
    purpose: sessionKeyPurpose(key.id),
    sealed: key.privateKey,
    replace: (sealed) => rows.resealKey(key, sealed),
  }))
}

export function hasEnded({ ends }: Pick<SessionKey, 'ends'>, now: number): boolean {
  return ends !== null && ends <= now
}

export const sessionKeyUses = ['next', 'signing', 'verifying', 'ended'] as const
export type SessionKeyUse = (typeof sessionKeyUses)[number]

/** What each key is for, now. @param keys the newest first */
export function usesOf(keys: readonly SessionKey[], now: number): ReadonlyMap<SessionKey, SessionKeyUse> {
  const signing = keys.find((key) => key.signs <= now && !hasEnded(key, now))
  const useOf = (key: SessionKey): SessionKeyUse => {
    if (hasEnded(key, now)) return 'ended'
    if (key === signing) return 'signing'
    return key.signs > now ? 'next' : 'verifying'
  }
  return new Map(keys.map((key) => [key, useOf(key)]))
}
