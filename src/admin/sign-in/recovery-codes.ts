/** Recovery codes: each replaces a second factor once (specification 34.23). 80 random bits each, stored as digests. */
import { hash, randomBytes } from 'node:crypto'

const count = 10
/** Base32 without letters that look like digits. */
const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const form = /^[A-HJ-NP-Z2-9]{16}$/

export function makeRecoveryCodes(administrator: string) {
  const codes = Array.from({ length: count }, () =>
    Array.from(randomBytes(16), (byte) => letters[byte % 32])
      .join('')
      .replace(/.{4}(?=.)/g, '$&-'),
  )
  return { codes, digests: codes.map((code) => digestRecoveryCode(administrator, code) ?? '') }
}

/** @returns undefined if it has not the form of one */
export function digestRecoveryCode(administrator: string, typed: string): string | undefined {
  const code = typed.toUpperCase().replace(/[\s-]/g, '')
  return form.test(code) ? hash('sha256', `ig recovery code ${administrator} ${code}`) : undefined
}
