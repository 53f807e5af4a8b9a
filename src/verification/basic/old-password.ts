/**
 * Passwords that came as digests of the original: unsalted SHA-1 of the password in UTF-16LE. A digest is stored only
 * as the argon2id hash of its text (specification 37.6), after the name of its form.
 */
import { hash } from 'node:crypto'
import { oldPasswordForm as form } from '../../model/operator-file/entry.ts'
import { hashPassword, verifyPassword } from '../password.ts'

/** @param digest in base64 */
export async function wrapDigest(digest: string): Promise<string> {
  return form + (await hashPassword(digest))
}

export function isOldPassword(passwordHash: string): boolean {
  return passwordHash.startsWith(form)
}

/** @throws if `passwordHash` is not an argon2 hash */
export async function verifyOperatorPassword(passwordHash: string, password: string): Promise<boolean> {
  if (!isOldPassword(passwordHash)) return verifyPassword(passwordHash, password)
  return verifyPassword(passwordHash.slice(form.length), digestPassword(password))
}

function digestPassword(password: string): string {
  return hash('sha1', Buffer.from(password.normalize('NFC'), 'utf16le'), 'base64')
}
