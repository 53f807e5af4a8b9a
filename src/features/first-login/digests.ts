/** Passwords as digests of the original: unsalted SHA-1 of the password in UTF-16LE (specification 37.6). */
import { hash } from 'node:crypto'
import { z } from 'zod'

/** base64(SHA-1('')) */
const emptyDigest = '2jmj7l5rSw0yVb/vlWAYkK/YBwk='
const schema = z
  .string()
  .refine(
    (text) => /^[\w+/]{27}=$/.test(text) && Buffer.from(text, 'base64').toString('base64') === text,
    'must be a SHA-1 digest in base64, 28 characters, as OPERPSWD where OPERPSWDSALT is empty; other forms are not supported',
  )
  .refine((text) => text !== emptyDigest, 'is the digest of the empty password; leave it empty')

const salted = 'is not supported: no public source describes salted digests. See ig.passwords.upstream'

export const digests = {
  prefix: 'sha1-utf16le:',
  schema,
  /** Columns of the original's operator record, and others that are likely. */
  explanations: {
    OPERPSWD: 'is not a known field; name it passwordSha1Utf16le, for operators whose OPERPSWDSALT is empty',
    OPERPSWDSALT: salted,
    PTOPERPSWDV2: salted,
    salt: salted,
  },
  digest: (password: string) => hash('sha1', Buffer.from(password.normalize('NFC'), 'utf16le'), 'base64'),
}
