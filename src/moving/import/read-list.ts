/**
 * A list of requests, one a line (specification 16.6): `GET https://host/path responses/a.json 200`, or the same as JSON:
 * `{ "method": "GET", "url": "…", "file": "a file.json", "status": 200, "contentType": "…", "headers": { … } }`.
 */
import { methods } from '../../model/operation-terms.ts'
import type { Problem } from '../../model/problem.ts'
import { readClaim } from './infer-verification.ts'
import { asObject, type Json } from './json-reference.ts'
import { type PlacedUrl, placeUrl } from './place-url.ts'
import { explainUrl } from './read-har.ts'
import {
  keepHeaders,
  noteLostHeaders,
  type RecordedCall,
  type Recording,
  type Recordings,
  readContentType,
  typeOfFile,
} from './recording.ts'
import { silent } from './verification.ts'

/** @param findFileProblem returns why a response file cannot be read */
export function readList(
  text: string,
  file: string,
  findFileProblem: (name: string) => string | undefined,
): Recordings {
  const recordings: Recording[] = []
  const leftOut: RecordedCall[] = []
  const notices: Problem[] = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue
    const place = `${file}:${index + 1}`
    const note = (message: string) => void notices.push({ path: place, message })
    try {
      recordings.push(readLine(line.trim(), place, { findFileProblem, leftOut, note }))
    } catch (error) {
      note(`is left out: ${explainUrl(error)}`)
    }
  }
  if (recordings.length > 0) return { recordings, leftOut, notices, problems: [] }
  return { recordings, notices, problems: [{ path: file, message: 'has no requests that can be imported' }] }
}

interface LineContext {
  readonly findFileProblem: (name: string) => string | undefined
  readonly leftOut: RecordedCall[]
  readonly note: (message: string) => void
}

function readLine(line: string, place: string, { findFileProblem, leftOut, note }: LineContext): Recording {
  const given = line.startsWith('{') ? readJson(line) : split(line)
  const { method: name, url: stated, file, status = 200, contentType, headers = {}, ...others } = given
  const method = methods.find((known) => known === name)
  if (!method) throw new Error(`must begin with a method, one of ${methods.join(', ')}`)
  if (typeof stated !== 'string') throw new Error('has no URL: METHOD URL FILE [STATUS]')
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 599) {
    throw new Error('has an invalid status: use 200 to 599')
  }
  const answerHeaders = Object.entries(asObject(headers)).map(([header, value]) => [header, String(value)] as const)
  const callOf = (url: PlacedUrl): RecordedCall => {
    return { place, method, url, claim: readClaim({ url, headers: [], status, answerHeaders }, silent) }
  }
  const url = placeUrl(stated)
  leftOut.push(callOf(url)) // what it says of credentials counts, whatever else is wrong
  if (typeof file !== 'string') throw new Error('has no response file: METHOD URL FILE [STATUS]')
  const type = contentType === undefined ? typeOfFile(file) : readContentType(String(contentType))
  if (type === undefined) throw new Error('has an invalid content type: write application/json')
  if (asObject(headers) !== headers || !Object.values(asObject(headers)).every((one) => typeof one === 'string'))
    throw new Error('has invalid headers: write { "etag": "…" }')
  const problem = findFileProblem(file)
  if (problem !== undefined)
    throw new Error(`names the response file ${JSON.stringify(file.slice(0, 200))}, which ${problem}`)
  for (const other of Object.keys(others)) note(`leaves out ${other}`)
  noteLostHeaders(answerHeaders, note)
  const answer = { status, contentType: type, headers: keepHeaders(answerHeaders), body: { source: file } }
  return { ...callOf(url), answer }
}

function split(line: string): Json {
  const [method, url, file, status, ...rest] = line.split(/\s+/)
  if (rest.length > 0) throw new Error('has more than METHOD URL FILE [STATUS]; write a file name with spaces as JSON')
  const code = /^\d{3}$/.test(status ?? '') ? Number(status) : status
  return { method, url, file, ...(code !== undefined && { status: code }) }
}

function readJson(line: string): Json {
  try {
    return asObject(JSON.parse(line))
  } catch {
    throw new Error('begins with { but is not JSON')
  }
}
