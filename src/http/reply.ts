/** Writes a reply to the wire: its head, length, compression, and no body where HTTP has none (specification 7.1, 7.2). */
import { pipeline } from 'node:stream/promises'
import { constants, createGzip } from 'node:zlib'
import { STATUS_CODES } from '../base/node-http.ts'
import { emptyBody, type Reply, type ReplyBody, type ReplyStream } from '../model/call.ts'
import { formatHttpDate } from '../model/date-time.ts'
import { acceptsGzip, compressBody, isCompressible } from './compress.ts'
import type { Request } from './head.ts'
import type { IncomingCall } from './incoming-call.ts'
import { readLarge } from './large-body.ts'
import { copyEach } from './nameless-file.ts'
import { inSlices } from './turn.ts'
import type { Writer } from './writer.ts'

/** Replies up to this size are one write. */
const largeBytes = 64 * 1024
/** As a string of bytes, a short body leaves in one write together with the head. */
const shortBytes = 8 * 1024

/** What the reply is to. */
type Answered = Pick<IncomingCall, 'request' | 'memory'>

export interface Ending {
  /** Asked at the last moment: whether the connection goes on after this reply. Without `keepsAlive` it does not. */
  goesOn(keepsAlive: boolean): boolean
  readonly writer: Writer
}

/** What compressing holds, for each byte of the body: the result in pieces, and as a whole. */
const packingCost = 3

/**
 * Written at once, unless the body is large or still to be compressed.
 * @throws where HTTP cannot carry a header: nothing is written then
 */
export function sendReply(reply: Reply, to: Answered, ending: Ending): Promise<void> | undefined {
  if (ending.writer.socket.destroyed) return undefined
  const source = reply.body.stream ?? reply.body.file
  if (source) return sendSource(reply, source, to, ending)
  const { status } = reply
  const body = status === 205 ? emptyBody : reply.body
  if (body.text !== undefined) return write(reply, '', body.text, to, ending)
  const { bytes } = body
  if (bytes.length === 0 || status === 206 || !isCompressible(reply)) return write(reply, '', bytes, to, ending)
  const isPacked = acceptsGzip(to.request.headers['accept-encoding']) && mayPack(reply.body, to)
  const packed = isPacked ? compressBody(reply.body) : bytes
  const writePacked = (body: Buffer) => {
    if (bytes.length > largeBytes) to.memory.hold(body.length)
    if (body === bytes) return write(reply, varying, body, to, ending)
    return write(weakenTag(reply), `${varying}content-encoding: gzip\r\n`, body, to, ending)
  }
  return packed instanceof Promise ? packed.then(writePacked) : writePacked(packed)
}

/** Compressed, it is another representation: its bytes do not continue those of the whole (RFC 9110, 8.8.3). */
function weakenTag(reply: Reply): Reply {
  const at = reply.headers.findIndex((name, index) => index % 2 === 0 && name === 'etag')
  const tag = reply.headers[at + 1] ?? ''
  if (at < 0 || tag.startsWith('W/')) return reply
  return { ...reply, headers: reply.headers.with(at + 1, `W/${tag}`) }
}

const varying = 'vary: accept-encoding\r\n'

/** A large body for which there is no memory is sent as it is. */
function mayPack({ bytes, gzip }: ReplyBody, to: Answered): boolean {
  return gzip !== undefined || bytes.length <= largeBytes || to.memory.hold(bytes.length * packingCost)
}

function write(
  reply: Reply,
  further: string,
  bytes: Buffer | string,
  to: Answered,
  ending: Ending,
): Promise<void> | undefined {
  const { status } = reply
  const { socket, onWritten } = ending.writer
  const hasNoBody = status === 204 || status === 304
  const length = hasNoBody ? '' : `content-length: ${bytes.length}\r\n`
  const head = formatHead(reply, further + length, to.request, ending)
  if (hasNoBody || to.request.method === 'HEAD' || bytes.length === 0) socket.write(head, 'latin1', onWritten)
  else if (typeof bytes === 'string') socket.write(head + bytes, 'latin1', onWritten)
  else if (bytes.length < shortBytes) socket.write(head + bytes.toString('latin1'), 'latin1', onWritten)
  else if (bytes.length > largeBytes) {
    socket.write(head, 'latin1')
    return ending.writer.writePieces(readLarge({ bytes, keeper: reply.body.keeper }, to.memory, ending.writer))
  } else {
    socket.cork()
    socket.write(head, 'latin1')
    socket.write(bytes, onWritten)
    socket.uncork()
  }
  return undefined
}

type Source = Pick<ReplyStream, 'size' | 'read'>

/** A file or a stream: read, perhaps compressed, and written piece by piece. */
async function sendSource(reply: Reply, source: Source, to: Answered, ending: Ending): Promise<void> {
  const { request } = to
  const isVarying = isCompressible(reply)
  const isPacked = isVarying && request.version === 11 && acceptsGzip(request.headers['accept-encoding'])
  const hasSize = source.size !== undefined && !isPacked
  const packing = isPacked ? 'content-encoding: gzip\r\n' : ''
  const length = hasSize ? `content-length: ${source.size}\r\n` : ''
  const isChunked = !hasSize && request.version === 11
  const further = (isVarying ? varying : '') + packing + length
  const { writer } = ending
  const coding = isChunked ? 'Transfer-Encoding: chunked\r\n\r\n' : '\r\n'
  const head = formatHead(isPacked ? weakenTag(reply) : reply, further, request, ending)
  writer.socket.write(head.slice(0, -2) + coding, 'latin1', writer.onWritten)
  if (request.method === 'HEAD') return
  // gzip requests a piece before it has done with the one before
  if (isPacked)
    await pipeline(copyEach(source.read()), createGzip({ flush }), (pieces) =>
      writer.writePieces(inSlices(pieces), isChunked),
    )
  else await writer.writePieces(inSlices(source.read()), isChunked)
}

/** After each piece: the client need not wait for the next one of a slow source. */
const flush = constants.Z_SYNC_FLUSH

const statusLines = new Map<number, string>()

function statusLine(status: number): string {
  const known = statusLines.get(status)
  if (known !== undefined) return known
  const line = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`
  statusLines.set(status, line)
  return line
}

function formatHead(reply: Reply, further: string, { keepsAlive }: Request, ending: Ending): string {
  const { status, headers, common = '' } = reply
  const lines = formatFields(headers)
  if (!ordinary(headers.length / 2).test(lines)) throw new Error('HTTP cannot carry a header of this reply')
  const end = lastLines(ending.goesOn(keepsAlive) ? ending.writer.keepAlive : closing)
  return statusLine(status) + lines + common + further + end
}

const closing = 'Connection: close'

function formatFields(headers: Reply['headers']): string {
  let lines = ''
  for (let index = 0; index < headers.length; index += 2) lines += `${headers[index]}: ${headers[index + 1]}\r\n`
  return lines
}

const patterns: RegExp[] = []

/** Exactly so many lines: a line break in a value would begin another header. */
function ordinary(lines: number): RegExp {
  patterns[lines] ??= new RegExp(`^(?:[\\t\\x20-\\x7e\\x80-\\xff]*\\r\\n){${lines}}$`)
  return patterns[lines]
}

let kept = { date: '', connection: '', text: '' }

/** The same for all replies of a second. */
function lastLines(connection: string): string {
  const date = formatHttpDate(Date.now())
  if (date !== kept.date || connection !== kept.connection)
    kept = { date, connection, text: `Date: ${date}\r\n${connection}\r\n\r\n` }
  return kept.text
}
