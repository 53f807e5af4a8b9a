/**
 * `ig.secretKey`: keys for single purposes are derived from it, and secrets in the store are sealed with such keys
 * (specification 8.9, 27.30).
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const lengths = { salt: 16, iv: 12, tag: 16 }
/** Private fields are neither printed nor serialized to JSON. */
export class SecretKey {
  readonly #text: string
  readonly #previous: SecretKey | undefined
  #id: string | undefined

  /** @param previous opens what it sealed, and seals nothing */
  constructor(text: string, previous?: SecretKey) {
    this.#text = text
    this.#previous = previous
  }

  /** @param previous opens what it sealed, and seals nothing */
  withPrevious(previous: SecretKey): SecretKey {
    return new SecretKey(this.#text, previous)
  }

  /** Names the key without revealing it: 8 hexadecimal digits. */
  get id(): string {
    this.#id ??= this.derive('key id', Buffer.alloc(0)).toString('hex', 0, 4)
    return this.#id
  }

  /** This key, then the previous one. */
  get all(): readonly SecretKey[] {
    return this.#previous ? [this, ...this.#previous.all] : [this]
  }

  /** 256 bits, a different key for each purpose and salt. */
  derive(purpose: string, salt: Uint8Array): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#text, salt, `integration-gateway ${purpose}`, 32))
  }

  /**
   * Encrypts and authenticates with AES-256-GCM, under a derived key for each text.
   * @param purpose is bound to it: name the kind of the secret, and its row
   */
  seal(purpose: string, content: string | Uint8Array): string {
    const salt = randomBytes(lengths.salt)
    const iv = randomBytes(lengths.iv)
    const cipher = createCipheriv('aes-256-gcm', this.derive(purpose, salt), iv)
    const hidden = [cipher.update(content), cipher.final(), cipher.getAuthTag()]
    return `${this.id}.${Buffer.concat([salt, iv, ...hidden]).toString('base64url')}`
  }

  /** @throws Error, also for a text that another key sealed */
  open(purpose: string, sealed: string): Buffer {
    const id = sealedBy(sealed)
    const key = this.all.find((each) => each.id === id)
    if (!key) throw new Error(`it was encrypted with another ig.secretKey (${id})`)
    const bytes = Buffer.from(sealed.slice(sealed.indexOf('.') + 1), 'base64url')
    const { salt, iv, tag } = lengths
    const decipher = createDecipheriv(
      'aes-256-gcm',
      key.derive(purpose, bytes.subarray(0, salt)),
      bytes.subarray(salt, salt + iv),
      { authTagLength: tag },
    )
    decipher.setAuthTag(bytes.subarray(-tag))
    return Buffer.concat([decipher.update(bytes.subarray(salt + iv, -tag)), decipher.final()])
  }
}

/** The id of the key that sealed it. */
export function sealedBy(stored: string): string {
  return stored.slice(0, stored.indexOf('.'))
}

/** Follows the name `ig.secretKey` in messages. */
export const missingSecretKey =
  'is not set. It encrypts the keys of session tokens and authenticator apps in the database: make one with ' +
  '`openssl rand -base64 32`, and set it as IG_SECRETKEY, or in the file that IG_SECRETKEY_FILE names'

/** For a column of the store. @throws Error without a key: no secret is stored unencrypted */
export function sealText(key: SecretKey | undefined, purpose: string, text: string): string {
  if (!key) throw new Error(`ig.secretKey ${missingSecretKey}.`)
  return key.seal(purpose, text)
}

/** @throws Error if the key is missing, or another one sealed it */
export function openText(key: SecretKey | undefined, purpose: string, stored: string): string {
  if (!key) throw new Error(`it is encrypted, and ig.secretKey (${sealedBy(stored)}) is not set`)
  return key.open(purpose, stored).toString()
}
