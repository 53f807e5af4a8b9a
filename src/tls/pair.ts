/**
 * Checks that a private key belongs to a certificate (specification 7.13). OpenSSL does not check it if the two are of
 * different types, such as RSA and EC.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'

export interface PairFiles {
  readonly cert: string
  readonly key: string
}

/** @returns the error; undefined also if a file cannot be read, which other code reports */
export function findPairError(files: PairFiles): string | undefined {
  try {
    const isOne = isPair(readFileSync(files.cert, 'utf8'), readFileSync(files.key, 'utf8'))
    return isOne ? undefined : describeMismatch(files)
  } catch {
    return undefined
  }
}

/** @param files names for the error message @throws Error with OpenSSL's code if they are not a pair */
export function requirePair(cert: string, key: string, files: PairFiles): void {
  if (isPair(cert, key)) return
  throw Object.assign(new Error(describeMismatch(files)), { code: 'ERR_OSSL_X509_KEY_VALUES_MISMATCH' })
}

function isPair(cert: string, key: string): boolean {
  return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))
}

function describeMismatch({ cert, key }: PairFiles): string {
  return `${key} is not the private key of the certificate ${cert}`
}
