/** Reads a file that a person has named: what is wrong with it is said in a sentence. */
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { Failure } from '../terminal/explain-failure.ts'
import { show } from '../terminal/print.ts'

/** Of one text in memory: the maximum length of a string. */
const maxBytes = 400 * 1024 * 1024

export function readText(path: string): string {
  if (statSync(path).size > maxBytes) throw new Failure(`${show(path)} is larger than 400 MiB: split it.`)
  return readFileSync(path, 'utf8').replace(/^\ufeff/, '')
}

export function requireFile(path: string): void {
  try {
    readStart(path)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new Failure(`${show(path)} cannot be read: ${reasons[code ?? ''] ?? message}.`)
  }
}

/** Enough to recognize a HAR. */
export function readStart(path: string): string {
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(1000)
    return buffer.toString('utf8', 0, readSync(file, buffer)).replace(/^\ufeff/, '')
  } finally {
    closeSync(file)
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'its permissions forbid it',
  EISDIR: 'it is a folder',
  ENOENT: 'there is no such file',
}

export function parseJson(path: string): unknown {
  try {
    return JSON.parse(readText(path))
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure(`${show(path)} is not JSON: ${show((error as Error).message)}.`)
  }
}
