/**
 * Faults of HTTP framing: after one, nobody can say where the next message begins (specification 7.5). What the
 * parser of `node:http` refuses arrives as an error; what it lets through is looked for here.
 */
import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import type { Limits } from '../settings.ts'

export type FramingFault = 'malformed' | 'uriTooLong' | 'headersTooLarge' | 'timedOut' | 'overloaded'

export interface FramingProblem {
  readonly fault: FramingFault
  /** For the log. */
  readonly reason: string
}

type SizeLimits = Pick<Limits, 'maxUrlBytes' | 'maxHeaderBytes'>

/** What the parser may read of one head: so much beyond both limits that it is nearly always we who tell which was exceeded. */
export function parserLimit({ maxUrlBytes, maxHeaderBytes }: SizeLimits): number {
  return Math.max(128 * 1024, 2 * (maxUrlBytes + maxHeaderBytes))
}

/** Fields of one head: each costs many times its bytes. */
export const mostFields = 256

export function findFramingFault(request: IncomingMessage, limits: SizeLimits): FramingProblem | undefined {
  const { rawHeaders, httpVersionMajor, httpVersionMinor } = request
  if ((request.url ?? '').length > limits.maxUrlBytes) return { fault: 'uriTooLong', reason: 'URL over the limit' }
  if (httpVersionMajor !== 1) return malformed('HTTP version is not 1.x')

  if (rawHeaders.length > 2 * mostFields) return { fault: 'headersTooLarge', reason: `more than ${mostFields} fields` }
  let size = 0
  let host: string | undefined
  let hasAuthorization = false
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    const value = rawHeaders[index + 1] ?? ''
    size += name.length + value.length + 4
    if (name.length === 4 && name.toLowerCase() === 'host') {
      if (host !== undefined) return malformed('duplicate Host')
      host = value
    } else if (name.length === 13 && name.toLowerCase() === 'authorization') {
      if (hasAuthorization) return malformed('duplicate Authorization')
      hasAuthorization = true
    } else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') {
      if (httpVersionMinor === 0) return malformed('Transfer-Encoding in HTTP/1.0')
      if (value.toLowerCase() !== 'chunked') return malformed('transfer coding other than chunked')
    }
  }
  if (size > limits.maxHeaderBytes) return { fault: 'headersTooLarge', reason: 'headers over the limit' }
  if (host === undefined) return httpVersionMinor === 0 ? undefined : malformed('missing Host')
  if (!isHost(host)) return malformed('malformed Host')
  return undefined
}

/** RFC 3986 host and port; a URL of HTTP has no empty host. */
function isHost(text: string): boolean {
  const match = /^(?:\[([\da-f:.]+)\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+)(?::\d{0,5})?$/i.exec(text)
  return match !== null && (match[1] === undefined || isIPv6(match[1]))
}

function malformed(reason: string): FramingProblem {
  return { fault: 'malformed', reason }
}

export interface ParserError extends Error {
  readonly code?: string
  readonly reason?: string
  readonly rawPacket?: Buffer
  readonly bytesParsed?: number
}

/** Undefined where the connection itself broke, and there is nobody to tell. */
export function explainParserError(error: ParserError, bytesRead: number): FramingProblem | undefined {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return { fault: 'timedOut', reason: 'head not received in time' }
  if (!error.code?.startsWith('HPE_')) return undefined
  if (error.code !== 'HPE_HEADER_OVERFLOW') return malformed(`${error.code}: ${error.reason ?? error.message}`)
  const fault = isWithinUrl(error, bytesRead) ? 'uriTooLong' : 'headersTooLarge'
  return { fault, reason: 'head over what the parser reads' }
}

/**
 * Whether the parser stopped in the request line. The last packet shows it, unless it lies wholly within one huge line
 * that began in an earlier packet: then what has no space and looks like a query is taken for a URL.
 */
function isWithinUrl({ rawPacket, bytesParsed }: ParserError, bytesRead: number): boolean {
  const head = rawPacket?.subarray(0, bytesParsed).toString('latin1') ?? ''
  const line = head.slice(head.lastIndexOf('\n') + 1)
  const isWholeLine = line.length < head.length || bytesRead === rawPacket?.length
  return isWholeLine ? /^[A-Z]+ [^ ]*$/.test(line) : /^[^ ]*[%&][^ ]*$/.test(line)
}
