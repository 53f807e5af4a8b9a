/** An operator as a file of many operators has it (specification 37.2 to 37.4). */
import { z } from 'zod'
import { operatorId, strictObject } from '../configuration/schema.ts'
import { certificates, description, emailAddress, emailsOf } from '../operator-schema.ts'

/** Before the argon2id hash of a digest of the original. */
export const oldPasswordForm = 'sha1-utf16le:'

/** base64(SHA-1('')) */
const emptyDigest = '2jmj7l5rSw0yVb/vlWAYkK/YBwk='
const argon2id = /^(?:sha1-utf16le:)?\$argon2id\$v=19\$m=(\d{1,5}),t=(\d{1,2}),p=([1-4])\$[\w+/]{11,86}\$[\w+/]{22,86}$/
const mostMemory = 65_536

const passwordHash = z
  .string()
  .refine(isHash, 'must be an argon2id hash ($argon2id$v=19$…) of at most 64 MiB, 10 passes and 4 lanes')
const digest = z
  .string()
  .refine(
    (text) => /^[\w+/]{27}=$/.test(text) && Buffer.from(text, 'base64').toString('base64') === text,
    'must be a SHA-1 digest in base64, 28 characters, as OPERPSWD where OPERPSWDSALT is empty; other forms are not supported',
  )
  .refine((text) => text !== emptyDigest, 'is the digest of the empty password; leave it empty')

const shape = {
  id: operatorId,
  description: description.optional(),
  isLocked: z.boolean().optional(),
  emails: emailsOf(emailAddress).optional(),
  certificates: certificates.optional(),
  permissionLists: z.array(z.string()).max(1000).optional(),
  passwordArgon2id: passwordHash.optional(),
  passwordSha1Utf16le: digest.optional(),
  firstLogin: z.boolean().optional(),
}

export type Field = keyof typeof shape
export const fields = Object.keys(shape) as readonly Field[]

const salted = 'is not supported: no public source describes salted digests. See ig.passwords.upstream'
/** Columns of the original's operator record, and others that are likely. */
export const explanations: Readonly<Record<string, string>> = {
  OPRID: 'is not a known field; name it id',
  EMAILID: 'is not a known field; name it emails',
  ACCTLOCK: 'is not a known field; name it isLocked, with true and false',
  OPERPSWD: 'is not a known field; name it passwordSha1Utf16le, for operators whose OPERPSWDSALT is empty',
  OPERPSWDSALT: salted,
  PTOPERPSWDV2: salted,
  salt: salted,
  password: 'is not a known field: passwords are never in a file. Known are passwordArgon2id and passwordSha1Utf16le',
  hasPassword: 'is not a known field: ig operator export writes what can be imported',
}

export const entrySchema = strictObject(shape, explanations).refine(
  ({ passwordArgon2id, passwordSha1Utf16le }) => passwordArgon2id === undefined || passwordSha1Utf16le === undefined,
  { message: 'must not have both passwordArgon2id and passwordSha1Utf16le', path: ['passwordSha1Utf16le'] },
)

/** A missing field leaves what is stored. */
export type OperatorEntry = z.output<typeof entrySchema>

function isHash(text: string): boolean {
  const [, memory = 0, passes = 0] = argon2id.exec(text) ?? []
  return Number(memory) >= 8 && Number(memory) <= mostMemory && Number(passes) >= 1 && Number(passes) <= 10
}
