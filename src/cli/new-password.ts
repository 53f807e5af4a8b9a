/** A new password for an action: asked for, read from standard input, or generated and shown once (specification 3.23, 8.7). */
import type { Command } from 'commander'
import { generatePassword } from '../model/password-policy.ts'
import { Failure } from '../terminal/explain-failure.ts'
import { readNewPassword } from '../terminal/read-password.ts'

export function addPasswordOptions(command: Command, isRequired: boolean): void {
  command
    .option('--password-stdin', 'read the password from standard input instead of asking for it')
    .option('--generate-password', 'generate a password and print it once')
  if (!isRequired) command.option('--no-password', 'without a password')
}

/** @param owner an operator or administrator @throws Failure */
export async function findNewPassword(
  owner: string,
  options: Readonly<Record<string, unknown>>,
): Promise<{ readonly password?: string; readonly isGenerated: boolean }> {
  const { password, passwordStdin, generatePassword: isGenerated } = options
  if (passwordStdin && isGenerated) throw new Failure('use --generate-password or --password-stdin, not both.')
  if (password === false) return { isGenerated: false }
  if (isGenerated) return { password: generatePassword(), isGenerated: true }
  return { password: await readNewPassword(owner, passwordStdin === true), isGenerated: false }
}
