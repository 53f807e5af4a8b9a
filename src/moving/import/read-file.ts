/** Reads a file that a person has named: what is wrong with it is said in a sentence. */
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { Failure } from '../../terminal/explain-failure.ts'
import { show } from '../../terminal/print.ts'

/** What is read of it takes seven times as much memory. */
const maxBytes = 100 * 1024 * 1024

/** @param smaller how to make smaller ones */
export function readText(path: string, smaller = 'Split it'): string {
  requireFile(path)
  if (statSync(path).size > maxBytes) throw new Failure(`${show(path)} is larger than 100 MiB. ${smaller}.`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path))
  } catch (error) {
    if (error instanceof TypeError) throw new Failure(`${show(path)} is not UTF-8. Save it as UTF-8.`)
    throw error
  }
}

/** Readable text. */
export function requireFile(path: string): void {
  const beginning = Buffer.alloc(8192)
  let length = 0
  try {
    length = readBeginning(path, beginning)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new Failure(`${show(path)} cannot be read: ${reasons[code ?? ''] ?? message}.`)
  }
  const hex = beginning.toString('hex', 0, 8)
  const format = formats.find(([start]) => hex.startsWith(start))?.[1]
  if (format !== undefined) throw new Failure(`${show(path)} is ${format}`)
  if (beginning.subarray(0, length).includes(0)) throw new Failure(`${show(path)} is binary, not text.`)
}

/** Formats by their first bytes. */
const formats: readonly (readonly [beginning: string, text: string])[] = [
  ['1f8b', 'compressed (gzip). Decompress it first.'],
  ['28b52ffd', 'compressed (zstd). Decompress it first.'],
  ['425a68', 'compressed (bzip2). Decompress it first.'],
  ['fd377a58', 'compressed (xz). Decompress it first.'],
  ['504b0304', 'compressed (zip). Decompress it first.'],
  ['fffe', 'in UTF-16. Save it as UTF-8.'],
  ['feff', 'in UTF-16. Save it as UTF-8.'],
]

/** Enough to recognize a HAR. */
export function readStart(path: string): string {
  const buffer = Buffer.alloc(1000)
  return buffer.toString('utf8', 0, readBeginning(path, buffer)).replace(/^\ufeff/, '')
}

function readBeginning(path: string, buffer: Buffer): number {
  const file = openSync(path, 'r')
  try {
    return readSync(file, buffer)
  } finally {
    closeSync(file)
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'its permissions forbid it',
  EISDIR: 'it is a folder',
  ENOENT: 'there is no such file',
}

export function parseJson(path: string, smaller: string): unknown {
  try {
    return JSON.parse(readText(path, smaller))
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure(`${show(path)} is not JSON: ${show((error as Error).message)}.`)
  }
}
