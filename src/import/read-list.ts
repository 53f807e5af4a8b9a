/**
 * A list of requests, one a line (specification 16.6): `GET https://host/path responses/a.json 200`, or the same as JSON:
 * `{ "method": "GET", "url": "…", "file": "a file.json", "status": 200, "contentType": "…", "headers": { … } }`.
 */
import { methods } from '../model/operation-terms.ts'
import type { Problem } from '../model/problem.ts'
import { readClaim } from './find-verification.ts'
import { placeUrl } from './place-url.ts'
import { explainUrl } from './read-har.ts'
import { keepHeaders, type Recording, type Recordings, readContentType, typeOfFile } from './recording.ts'
import { silent } from './verification.ts'

/** @param findFileProblem returns why a response file cannot be read */
export function readList(
  text: string,
  file: string,
  findFileProblem: (name: string) => string | undefined,
): Recordings {
  const recordings: Recording[] = []
  const notices: Problem[] = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue
    const place = `${file}:${index + 1}`
    try {
      recordings.push(readLine(line.trim(), place, findFileProblem))
    } catch (error) {
      notices.push({ path: place, message: `is left out: ${explainUrl(error)}` })
    }
  }
  if (recordings.length > 0) return { recordings, notices, problems: [] }
  return { recordings, notices, problems: [{ path: file, message: 'has no requests that can be imported' }] }
}

interface Line {
  readonly method?: unknown
  readonly url?: unknown
  readonly file?: unknown
  readonly status?: unknown
  readonly contentType?: unknown
  readonly headers?: unknown
}

function readLine(line: string, place: string, findFileProblem: (name: string) => string | undefined): Recording {
  const {
    method,
    url,
    file,
    status = 200,
    contentType,
    headers = {},
  } = line.startsWith('{') ? readJson(line) : split(line)
  const known = methods.find((candidate) => candidate === method)
  if (!known) throw new Error(`must begin with a method, one of ${methods.join(', ')}`)
  if (typeof url !== 'string') throw new Error('has no URL: METHOD URL FILE [STATUS]')
  if (typeof file !== 'string') throw new Error('has no response file: METHOD URL FILE [STATUS]')
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 599) {
    throw new Error('has an invalid status: use 200 to 599')
  }
  const type = contentType === undefined ? typeOfFile(file) : readContentType(String(contentType))
  if (type === undefined) throw new Error('has an invalid content type: write application/json')
  if (
    typeof headers !== 'object' ||
    headers === null ||
    !Object.values(headers).every((one) => typeof one === 'string')
  ) {
    throw new Error('has invalid headers: write { "etag": "…" }')
  }
  const placed = placeUrl(url)
  const problem = findFileProblem(file)
  if (problem !== undefined)
    throw new Error(`names the response file ${JSON.stringify(file.slice(0, 200))}, which ${problem}`)
  const pairs = Object.entries(headers as Record<string, string>)
  return {
    place,
    method: known,
    url: placed,
    claim: readClaim({ url: placed, headers: [], status, answerHeaders: pairs }, silent),
    answer: { status, contentType: type, headers: keepHeaders(pairs), body: { source: file } },
  }
}

function split(line: string): Line {
  const [method, url, file, status, ...rest] = line.split(/\s+/)
  if (rest.length > 0) throw new Error('has more than METHOD URL FILE [STATUS]; write a file name with spaces as JSON')
  return {
    method,
    url,
    file,
    ...(status === undefined ? {} : { status: /^\d{3}$/.test(status) ? Number(status) : status }),
  }
}

function readJson(line: string): Line {
  try {
    return JSON.parse(line) as Line
  } catch {
    throw new Error('begins with { but is not JSON')
  }
}
