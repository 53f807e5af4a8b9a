/** An operator as a file of many operators has it (specification 37.2 to 37.4). */
import { z } from 'zod'
import { mapContributions } from '../../features.ts'
import { findForm, formFields, type PasswordForm, passwordForms } from '../../model/password-form.ts'
import { certificates, description, emailsSchema, operatorEmail } from '../operator-schema.ts'
import { operatorId, strictObject } from '../schema.ts'

const argon2id = /^\$argon2id\$v=19\$m=(\d{1,5}),t=(\d{1,2}),p=([1-4])\$[\w+/]{11,86}\$[\w+/]{22,86}$/
const maxMemory = 65_536

const passwordHash = z
  .string()
  .refine(isHash, 'must be an argon2id hash ($argon2id$v=19$…) of at most 64 MiB, 10 passes and 4 lanes')
const digests = mapContributions('passwordForms', ({ schema }: PasswordForm) => schema.optional())

const shape = {
  id: operatorId,
  description: description.optional(),
  isLocked: z.boolean().optional(),
  emails: emailsSchema(operatorEmail).optional(),
  certificates: certificates.optional(),
  permissionLists: z.array(z.string()).max(1000).optional(),
  passwordArgon2id: passwordHash.optional(),
  ...digests,
  firstLogin: z.boolean().optional(),
}

export type Field = keyof typeof shape
export const fields = Object.keys(shape) as readonly Field[]

/** Columns of the original's operator record, and others that are likely. */
export const explanations: Readonly<Record<string, string>> = {
  OPRID: 'is not a known field; name it id',
  EMAILID: 'is not a known field; name it emails',
  ACCTLOCK: 'is not a known field; name it isLocked, with true and false',
  password: `is not a known field: passwords are never in a file. Known are ${['passwordArgon2id', ...formFields].join(' and ')}`,
  hasPassword: 'is not a known field: ig operator export writes what can be imported',
  ...Object.assign({}, ...Object.values(passwordForms).map((form) => form.explanations)),
}

export const operatorEntrySchema = strictObject(shape, explanations).superRefine((entry, context) => {
  for (const field of formFields)
    if (entry.passwordArgon2id !== undefined && entry[field] !== undefined)
      context.addIssue({ code: 'custom', path: [field], message: `must not have both passwordArgon2id and ${field}` })
})

/** A missing field leaves what is stored. */
export type OperatorEntry = z.output<typeof operatorEntrySchema>

function isHash(text: string): boolean {
  const { prefix = '' } = findForm(text) ?? {}
  const [, memory = 0, passes = 0] = argon2id.exec(text.slice(prefix.length)) ?? []
  return Number(memory) >= 8 && Number(memory) <= maxMemory && Number(passes) >= 1 && Number(passes) <= 10
}

/** Its password in another form. */
export function findDigest(entry: OperatorEntry) {
  for (const [field, form] of Object.entries(passwordForms)) {
    const digest = entry[field as keyof OperatorEntry] as string | undefined
    if (digest !== undefined) return { form, digest }
  }
  return undefined
}
