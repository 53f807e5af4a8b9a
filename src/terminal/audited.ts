/**
 * Changes by the command line as audit entries (specification 18.38): with their author, and in the same words as those
 * of the API.
 */
import { hostname } from 'node:os'
import type { Command } from 'commander'
import { type NewAuditEntry, viaCommandLine } from '../store/administration/contract.ts'
import { systemUser } from '../store/administration/system-user.ts'
import { WrongValue } from './explain-failure.ts'

export interface AuthorOptions {
  readonly as?: string
}

export function addAuthorOption(command: Command): Command {
  return command.option('--as <name>', 'author of the change for the audit; by default the system user')
}

/** @throws Failure before anything is changed */
export function readAuthor({ as: name = systemUser() }: AuthorOptions): string {
  if (name.trim() !== '' && /^[^\p{Cc}\p{Bidi_Control}]{1,100}$/u.test(name)) return name
  throw new WrongValue('--as takes a name of 1 to 100 characters that is not blank, without control characters.')
}

type What = Pick<NewAuditEntry, 'action' | 'subject' | 'before' | 'after'>

export function entryOf(options: AuthorOptions, what: What): NewAuditEntry {
  return { time: Date.now(), actor: readAuthor(options), via: viaCommandLine, address: hostname(), ...what }
}
