/** A new password for an action: asked for, read from standard input, or generated and shown once (specification 3.23, 8.7). */
import { type Command, Option } from 'commander'
import { generatePassword } from '../model/password-policy.ts'
import { readNewPassword } from '../terminal/read-password.ts'

/** The options exclude each other. @param unless another option that does */
export function addPasswordOptions(command: Command, isRequired: boolean, unless: string | undefined): void {
  const options = [
    new Option('--password-stdin', 'read the password from standard input instead of asking for it'),
    new Option('--generate-password', 'generate a password and print it once'),
    ...(isRequired ? [] : [new Option('--no-password', 'without a password')]),
  ]
  const keys = [...options.map((option) => option.attributeName()), unless ?? []].flat()
  for (const option of options)
    command.addOption(option.conflicts(keys.filter((key) => key !== option.attributeName())))
}

type PasswordOptions = Readonly<Record<string, unknown>>

export function asksForPassword({ password, passwordStdin, generatePassword: isGenerated }: PasswordOptions): boolean {
  return password !== false && !passwordStdin && !isGenerated
}

/** @param owner an operator or administrator @throws Failure */
export async function findNewPassword(
  owner: string,
  { password, passwordStdin, generatePassword: isGenerated }: PasswordOptions,
): Promise<{ readonly password?: string; readonly isGenerated: boolean }> {
  if (password === false) return { isGenerated: false }
  if (isGenerated) return { password: generatePassword(), isGenerated: true }
  return { password: await readNewPassword(owner, passwordStdin === true), isGenerated: false }
}
