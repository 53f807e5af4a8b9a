/** The entries of a HAR of any length, each as soon as it has been read (specification 16.6). */
import { closeSync, openSync, readSync } from 'node:fs'
import { JSONParser, TokenType } from '@streamparser/json'

const chunkSize = 64 * 1024
const entries = '$.log.entries'
/** A parser keeps every open level in memory. */
const maxDepth = 500

/**
 * @returns what is wrong with the file as a whole, if anything; `onEntry` may have been called before
 * @throws errors of the file system
 */
export function streamHar(path: string, onEntry: (entry: unknown, index: number) => void): string | undefined {
  let count = 0
  const failure = readValues(path, `${entries}.*`, (entry) => onEntry(entry, count++))
  if (failure !== undefined) return `is not a HAR: ${failure.slice(0, 200)}`
  if (count > 0) return undefined
  let hasList = false
  readValues(path, entries, (list) => {
    hasList = Array.isArray(list)
  })
  return hasList ? 'has no entries: record some requests first' : 'is not a HAR: it has no list log.entries'
}

/** @returns why it cannot be read */
function readValues(path: string, wanted: string, onValue: (value: unknown) => void): string | undefined {
  const parser = new JSONParser({ paths: [wanted], keepStack: false, stringBufferSize: chunkSize })
  let failure: string | undefined
  parser.onValue = ({ value }) => onValue(value)
  parser.onError = ({ message }) => {
    failure ??= `it is not JSON. ${message}`
  }
  let depth = 0
  parser.onToken = ({ token }) => {
    depth += levels[token] ?? 0
    if (depth > maxDepth) failure ??= `it is nested more than ${maxDepth} deep`
  }
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(chunkSize)
    for (let isFirst = true; failure === undefined; isFirst = false) {
      const length = readSync(file, buffer)
      if (length === 0) break
      parser.write(buffer.subarray(isFirst ? lengthOfMark(buffer) : 0, length))
    }
    if (failure === undefined && !parser.isEnded) parser.end()
  } finally {
    closeSync(file)
  }
  return failure
}

const levels: Readonly<Partial<Record<TokenType, number>>> = {
  [TokenType.LEFT_BRACE]: 1,
  [TokenType.LEFT_BRACKET]: 1,
  [TokenType.RIGHT_BRACE]: -1,
  [TokenType.RIGHT_BRACKET]: -1,
}

/** A byte order mark is not part of a file. */
function lengthOfMark(bytes: Buffer): number {
  return bytes.subarray(0, 3).equals(Buffer.from('\ufeff')) ? 3 : 0
}
