/** Other forms of passwords, as features add them. */
import type { z } from 'zod'
import { mergeContributions } from '../features.ts'

/** A form in which another gateway stores passwords: here it is stored as the argon2id hash of its text. */
export interface PasswordForm {
  /** How the stored hash begins: `sha1-utf16le:`. */
  readonly prefix: string
  /** The schema of the text in a file of operators. */
  readonly schema: z.ZodString
  /** Messages for columns that a file may have instead. */
  readonly explanations: Readonly<Record<string, string>>
  /** The text for this password. */
  digest(password: string): string
}

export const passwordForms: Readonly<Record<string, PasswordForm>> = mergeContributions('passwordForms')

export const formFields: readonly (keyof ReturnType<typeof mergeContributions<'passwordForms'>>)[] = Object.keys(
  passwordForms,
) as never[]

/** That of a stored hash; undefined if it is the hash of the password itself. */
export function findForm(passwordHash: string): PasswordForm | undefined {
  return Object.values(passwordForms).find(({ prefix }) => passwordHash.startsWith(prefix))
}
