/**
 * Secrets in files: one that a variable names, or one of a directory, as systemd and Kubernetes provide them
 * (specification 8.9, 27.33).
 */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Problem } from '../model/problem.ts'
import type { Row } from './row.ts'
import { variableOf } from './variable.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export interface FoundSecret {
  readonly value: string
  /** `IG_DATABASE_FILE`, `credential ig.database`. */
  readonly source: string
}

/** A secret is small. Bytes. */
const maxBytes = 64 * 1024
const directoryVariable = 'IG_SECRETS_DIRECTORY'

/** The variable overrides the file that another one names, and that overrides a file of a directory. */
export function addSecrets(
  rows: readonly Row[],
  environment: Environment,
  given: Map<string, FoundSecret>,
  problems: Problem[],
): void {
  problems.push(...checkDirectory(environment))
  for (const { key, isSecret } of rows) {
    if (!isSecret || environment[variableOf(key)]) continue
    try {
      const found = findSecret([key, variableOf(key)], environment)
      if (found) given.set(key, found)
    } catch (error) {
      problems.push({ path: key, message: (error as Error).message })
    }
  }
}

/** Of a secret that its variable does not have. @param names of its file, the last one is that of the variable @throws Error without the secret */
export function findSecret(names: readonly string[], environment: Environment): FoundSecret | undefined {
  const source = `${names.at(-1)}_FILE`
  const file = environment[source]
  if (file) return { value: read(file, source), source }
  for (const [variable, what, kind] of directories) {
    const directory = environment[variable]
    for (const name of directory ? names : []) {
      const value = read(join(directory ?? '', name), what, true)
      if (value !== undefined) return { value, source: `${kind} ${name}` }
    }
  }
  return undefined
}

const directories = [
  [directoryVariable, directoryVariable, 'secret'],
  ['CREDENTIALS_DIRECTORY', 'the systemd credential', 'credential'],
] as const

export function isOfSecrets(variable: string, rows: readonly Row[]): boolean {
  return (
    variable === directoryVariable || rows.some((row) => row.isSecret && variable === `${variableOf(row.key)}_FILE`)
  )
}

/** A directory that is not mounted would silently lack every secret. */
function checkDirectory({ [directoryVariable]: directory }: Environment): readonly Problem[] {
  if (!directory || statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return []
  return [{ path: directoryVariable, message: `is not a directory: ${directory}` }]
}

function read(path: string, what: string): string
function read(path: string, what: string, mayLack: true): string | undefined
function read(path: string, what: string, mayLack = false): string | undefined {
  const text = readText(path, what, mayLack)
  if (text?.trim() === '') throw new Error(`is empty in ${what}`) // white space alone would count as not set
  return text
}

/** The file is not named: its name may be the secret, in the wrong variable. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read the file',
  EISDIR: 'it is a directory',
}

/** Editors and `kubectl create secret` leave a line break at the end. */
function readText(path: string, what: string, mayLack: boolean): string | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (mayLack && code === 'ENOENT') return undefined
    throw new Error(`cannot be read from ${what}: ${reasons[code] ?? code}`)
  }
  if (text.length > maxBytes) throw new Error(`is longer than ${maxBytes} bytes in ${what}`)
  return text.replace(/^\ufeff/, '').replace(/\r?\n$/, '')
}
