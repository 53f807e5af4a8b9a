/**
 * `ig.secretKey`, from which keys for single purposes are derived: from the environment, a file that it names, or a
 * systemd credential, and never from the project, which is copied and shared (specification 8.9).
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SecretKey } from '../base/secret-key.ts'
import type { Problem } from '../model/problem.ts'

export const secretKeyName = 'ig.secretKey'
/** Characters. */
const shortest = 32

export const secretKeyKind = {
  values: `${shortest} characters or more, in the environment only`,
  parse(text: string): SecretKey {
    if (text.length >= shortest) return new SecretKey(text)
    throw new Error(`must have ${shortest} characters or more; openssl rand -base64 32 makes one`)
  },
}

interface FoundKey {
  readonly value: string
  readonly source: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** The variable overrides the file that another one names, and that overrides the credential. */
export function addSecretKey(environment: Environment, given: Map<string, FoundKey>, problems: Problem[]): void {
  try {
    const found = findSecretKey(environment)
    if (found) given.set(secretKeyName, found)
  } catch (error) {
    problems.push({ path: secretKeyName, message: (error as Error).message })
  }
}

function findSecretKey(environment: Environment): FoundKey | undefined {
  const { IG_SECRETKEY: value, IG_SECRETKEY_FILE: file, CREDENTIALS_DIRECTORY: credentials } = environment
  if (value) return { value, source: 'IG_SECRETKEY' }
  if (file) return { value: read(file, 'IG_SECRETKEY_FILE'), source: 'IG_SECRETKEY_FILE' }
  if (!credentials) return undefined
  const credential = read(join(credentials, secretKeyName), 'the systemd credential', true)
  return credential ? { value: credential, source: `credential ${secretKeyName}` } : undefined
}

function read(path: string, what: string, mayLack = false): string {
  const text = readText(path, what, mayLack)
  if (text === '') throw new Error(`is empty in ${what}`)
  return text ?? ''
}

/** @returns undefined if there is none, and none is needed */
function readText(path: string, what: string, mayLack: boolean): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (mayLack && code === 'ENOENT') return undefined
    throw new Error(`cannot be read from ${what}: ${code}`)
  }
}
