/**
 * Detects that an open database file was removed, replaced or damaged, and reports that instead of SQLite's errors
 * (specification 23.1, 23.2).
 */
import { setInterval } from '../../base/timers.ts'
import { Refusal } from '../../model/refusal.ts'
import type { StoreFault } from '../faults.ts'
import { cutShort, fileGone, rememberFiles, rememberSize } from './file-identity.ts'
import { isDamage } from './files.ts'

export interface FileWatch {
  readonly fault: StoreFault | undefined
  /** @throws Refusal overloaded if nothing may be written now */
  requireSound(): void
  /** The error of a statement: a refusal instead of an error that the file caused. */
  explain(error: unknown): unknown
  close(): void
}

/** Milliseconds between two checks of the paths; each commit checks as well. */
const every = 1_000

/** @param file open, and read from */
export function watchFile(file: string): FileWatch {
  const findMissing = rememberFiles(file)
  const isCut = rememberSize(file)
  let gone: StoreFault | undefined
  let damage: StoreFault | undefined
  const poll = () => {
    const path = findMissing()
    gone = path === undefined ? undefined : describeGone(file, path)
    if (isCut()) damage ??= describeDamage(file, cutShort)
  }
  const timer = setInterval(poll, every).unref()
  const refuse = (fault: StoreFault, cause?: unknown) => new Refusal('overloaded', fault.message, { cause })
  return {
    get fault() {
      return gone ?? damage
    },
    requireSound() {
      if (gone) poll()
      const fault = gone ?? damage
      if (fault) throw refuse(fault)
    },
    explain(error) {
      if ((error as { code?: unknown }).code === fileGone) {
        poll()
        return refuse(gone ?? describeGone(file, file), error)
      }
      if (!isDamage(error)) return error
      damage ??= describeDamage(file, error)
      return refuse(damage, error)
    },
    close: () => clearInterval(timer),
  }
}

/** The advice for people. */
export const afterDamage = 'Stop the gateway and restore a backup: ig restore <file>.'

function describeDamage(file: string, { message }: Pick<Error, 'message'>): StoreFault {
  const consequence = 'The gateway no longer writes to it; calls that write or read damaged data get 503.'
  return {
    name: 'storeDamaged',
    message: `The SQLite database ${file} is damaged: ${message}. ${consequence} ${afterDamage}`,
  }
}

function describeGone(file: string, path: string): StoreFault {
  const what = path === file ? `The SQLite database ${file}` : `${path}, a part of the SQLite database ${file},`
  const message =
    `${what} was removed or replaced while the gateway was running. Calls that need the database get 503. ` +
    'Put the original file back, or restart the gateway to use the current file. To restore a backup, stop the gateway and run ig restore.'
  return { name: 'storeFileGone', message }
}
