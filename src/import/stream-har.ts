/** The entries of a HAR of any length, each as soon as it has been read (specification 16.6). */
import { closeSync, openSync, readSync } from 'node:fs'
import { JSONParser } from '@streamparser/json'

const chunkSize = 64 * 1024
const entries = '$.log.entries'

/**
 * @returns what is wrong with the file as a whole, if anything; `onEntry` may have been called before
 * @throws errors of the file system
 */
export function streamHar(path: string, onEntry: (entry: unknown, index: number) => void): string | undefined {
  let count = 0
  const failure = readValues(path, `${entries}.*`, (entry) => onEntry(entry, count++))
  if (failure !== undefined) return `is not a HAR: it is not JSON. ${failure.slice(0, 200)}`
  if (count > 0) return undefined
  let hasList = false
  readValues(path, entries, (list) => {
    hasList = Array.isArray(list)
  })
  return hasList ? 'has no entries: record some requests first' : 'is not a HAR: it has no list log.entries'
}

/** @returns why it is not JSON */
function readValues(path: string, wanted: string, onValue: (value: unknown) => void): string | undefined {
  const parser = new JSONParser({ paths: [wanted], keepStack: false, stringBufferSize: chunkSize })
  let failure: string | undefined
  parser.onValue = ({ value }) => onValue(value)
  parser.onError = ({ message }) => {
    failure ??= message
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

/** A byte order mark is not part of a file. */
function lengthOfMark(bytes: Buffer): number {
  return bytes.subarray(0, 3).equals(Buffer.from('\ufeff')) ? 3 : 0
}
