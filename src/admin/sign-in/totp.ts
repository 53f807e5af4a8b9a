/** Codes of an authenticator app: TOTP of RFC 6238, by otpauth, which is loaded with the first one (specification 34.21). */
import { openText, type SecretKey, sealedBy, sealText } from '../../base/secret-key.ts'
import type { Factor, Proof } from '../../store/administration/factors-contract.ts'

const issuer = 'Integration Gateway'

/** What every app understands. */
const fixed = { issuer, algorithm: 'SHA1', digits: 6, period: 30 } as const

export interface NewTotp {
  /** For people who cannot scan: base32. */
  readonly secret: string
  /** `otpauth://totp/…`, for the QR code. */
  readonly uri: string
}

export async function makeTotp(administrator: string): Promise<NewTotp> {
  const { Secret, TOTP } = await import('otpauth')
  const secret = new Secret({ size: 20 })
  return { secret: secret.base32, uri: new TOTP({ ...fixed, label: administrator, secret }).toString() }
}

export function sealTotp(key: SecretKey | undefined, id: string, secret: string): string {
  return sealText(key, totpPurpose(id), secret)
}

export function totpPurpose(id: string): string {
  return `second factor ${id}`
}

/**
 * @param sealed as `sealTotp` wrote it
 * @returns the time step of a code of now, the one before or the one after; undefined if it is wrong
 */
export async function findStep(
  { id, secret: sealed }: Pick<Factor, 'id' | 'secret'>,
  code: string,
  key: SecretKey | undefined,
  now: number,
): Promise<number | undefined> {
  const { Secret, TOTP } = await import('otpauth')
  const totp = new TOTP({ ...fixed, secret: Secret.fromBase32(openText(key, totpPurpose(id), sealed)) })
  const delta = totp.validate({ token: code, timestamp: now, window: 1 })
  return delta === null ? undefined : totp.counter({ timestamp: now }) + delta
}

/** Whether the key that sealed it is known. */
export function isReadable({ secret }: Pick<Factor, 'secret'>, key: SecretKey | undefined): boolean {
  const id = sealedBy(secret)
  return key?.all.some((each) => each.id === id) ?? false
}

/** @returns undefined if the code is wrong, or was used before: each works once; an app that cannot be read has none */
export async function proveTotp(
  factors: readonly Factor[],
  code: string,
  key: SecretKey | undefined,
  now: number,
): Promise<Proof | undefined> {
  for (const factor of factors.filter((each) => each.kind === 'totp' && isReadable(each, key))) {
    const counter = await findStep(factor, code, key, now)
    if (counter !== undefined && counter > factor.counter) return { factor: factor.id, counter }
  }
  return undefined
}
