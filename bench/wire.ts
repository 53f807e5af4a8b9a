/**
 * Requests and replies byte by byte, over a raw socket: what a benchmark sends, what it is answered, and whether two
 * servers answer alike. Only what every call makes anew may differ, and that in value only, never in form or length.
 */
import { connect } from 'node:net'

export interface Request {
  readonly method: string
  readonly path: string
  /** Flat: name, value… */
  readonly headers: readonly string[]
  readonly body: string
}

export interface WireReply {
  readonly status: number
  /** Flat: name, value… as they came. */
  readonly headers: readonly string[]
  readonly body: Buffer
}

/** Every server is asked to keep the connection, and answers that it does. */
export function formatRequest({ method, path, headers, body }: Request, port: number): Buffer {
  const fields = [`host: 127.0.0.1:${port}`, 'connection: keep-alive']
  for (let index = 0; index < headers.length; index += 2) fields.push(`${headers[index]}: ${headers[index + 1]}`)
  if (body) fields.push(`content-length: ${Buffer.byteLength(body)}`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n${body}`)
}

/** One call on a connection of its own. Rejects where the server cannot be reached or closes without a reply. */
export function exchange(port: number, request: Request): Promise<WireReply> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(formatRequest(request, port)))
    let held = Buffer.alloc(0)
    socket.on('data', (chunk) => {
      held = Buffer.concat([held, chunk])
      try {
        const reply = parseReply(held)
        if (!reply) return
        resolve(reply)
      } catch (error) {
        reject(error)
      }
      socket.destroy()
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the server closed the connection without a reply')))
  })
}

function parseReply(bytes: Buffer): WireReply | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const headers = lines.flatMap((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()])
  const length = headerOf(headers, 'content-length')
  if (!/^\d+$/.test(length ?? ''))
    throw new Error(`an answer has no content-length:\n${statusLine}\n${lines.join('\n')}`)
  const body = bytes.subarray(end + 4)
  if (body.length < Number(length)) return undefined
  return { status: Number(statusLine.split(' ')[1]), headers, body }
}

/** @param wanted in lower case */
export function headerOf(headers: readonly string[], wanted: string): string | undefined {
  const index = headers.findIndex((name, position) => position % 2 === 0 && name.toLowerCase() === wanted)
  return index < 0 ? undefined : headers[index + 1]
}

/** Undefined where the two are the same work on the wire. Names compare in any letter case, headers in any order. */
export function findDifference(ours: WireReply, theirs: WireReply): string | undefined {
  const [expected, found] = [describe(ours), describe(theirs)]
  const missing = expected.filter((line) => !found.includes(line))
  const extra = found.filter((line) => !expected.includes(line))
  if (missing.length + extra.length === 0 && expected.length === found.length) return undefined
  return [...missing.map((line) => `- ${line}`), ...extra.map((line) => `+ ${line}`)].join('\n')
}

function describe({ status, headers, body }: WireReply): string[] {
  const names = headers.filter((_, index) => index % 2 === 0)
  const lines = names.map((name, index) => `${name.toLowerCase()}: ${mask(headers[2 * index + 1] ?? '')}`)
  return [String(status), ...lines, mask(body.toString('latin1'))]
}

const varying: readonly (readonly [RegExp, string])[] = [
  [/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, '<uuid>'],
  [/\b[\da-f]{32}\b/g, '<trace>'],
  [/JSESSIONID=[\w-]{32}/g, 'JSESSIONID=<session>'],
  [/(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT/g, '<date>'],
]

function mask(text: string): string {
  return varying.reduce((masked, [pattern, name]) => masked.replace(pattern, name), text)
}
