/** Writes a reply to the wire: its head, length, compression, and no body where HTTP has none (specification 7.1, 7.2). */
import { pipeline } from 'node:stream/promises'
import { constants, createGzip } from 'node:zlib'
import { formatHttpDate } from '../base/date-time.ts'
import { STATUS_CODES } from '../base/node-http.ts'
import { emptyBody, type Reply, type ReplyBody, type ReplyStream } from '../model/call.ts'
import { acceptsGzip, compressBody, isCompressible } from './compress.ts'
import type { IncomingCall } from './incoming-call.ts'
import { readLarge } from './large-body.ts'
import { copyEach } from './nameless-file.ts'

/** Replies up to this size are one write. */
const largeBytes = 64 * 1024
/** As a string of bytes, a short body leaves in one write together with the head. */
const shortBytes = 8 * 1024

/** Bytes of memory that compression needs for each byte of the body: the result in pieces, and as a whole. */
const compressionCost = 3

/** @throws where HTTP cannot carry a header: nothing is written then */
export async function sendReply(reply: Reply, call: IncomingCall): Promise<void> {
  if (call.connection.writer.socket.destroyed) return
  const source = reply.body.stream ?? reply.body.file
  if (source) return sendSource(reply, source, call)
  const { status } = reply
  const body = status === 205 ? emptyBody : reply.body
  if (body.text !== undefined) return write(reply, '', body.text, call)
  const { bytes } = body
  if (bytes.length === 0 || status === 206 || !isCompressible(reply)) return write(reply, '', bytes, call)
  const isCompressed = acceptsGzip(call.headers['accept-encoding']) && mayCompress(body, call)
  const sent = isCompressed ? await compressBody(body) : bytes
  if (bytes.length > largeBytes) call.memory.hold(sent.length)
  if (sent === bytes) return write(reply, varyLine, sent, call)
  return write(weakenTag(reply), `${varyLine}content-encoding: gzip\r\n`, sent, call)
}

/** Compressed, it is another representation: its bytes do not continue those of the whole (RFC 9110, 8.8.3). */
function weakenTag(reply: Reply): Reply {
  const at = reply.headers.findIndex((name, index) => index % 2 === 0 && name === 'etag')
  const tag = reply.headers[at + 1] ?? ''
  if (at < 0 || tag.startsWith('W/')) return reply
  return { ...reply, headers: reply.headers.with(at + 1, `W/${tag}`) }
}

const varyLine = 'vary: accept-encoding\r\n'

/** A large body for which there is no memory is sent as it is. */
function mayCompress({ bytes, gzip }: ReplyBody, call: IncomingCall): boolean {
  return gzip !== undefined || bytes.length <= largeBytes || call.memory.hold(bytes.length * compressionCost)
}

function write(reply: Reply, further: string, bytes: Buffer | string, call: IncomingCall): Promise<void> | undefined {
  const { status, body } = reply
  const { writer } = call.connection
  const { socket, onWritten } = writer
  const hasNoBody = status === 204 || status === 304
  const length = hasNoBody ? '' : `content-length: ${bytes.length}\r\n`
  const head = beginReply(reply, further + length, call)
  if (hasNoBody || call.method === 'HEAD' || bytes.length === 0) socket.write(head, 'latin1', onWritten)
  else if (typeof bytes === 'string') socket.write(head + bytes, 'latin1', onWritten)
  else if (bytes.length < shortBytes) socket.write(head + bytes.toString('latin1'), 'latin1', onWritten)
  else if (bytes.length > largeBytes) {
    socket.write(head, 'latin1')
    return writer.writePieces(readLarge({ bytes, cacheHold: body.cacheHold }, call.memory, writer))
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
async function sendSource(reply: Reply, source: Source, call: IncomingCall): Promise<void> {
  const { writer } = call.connection
  const knowsChunks = call.request.version === 11
  const isVarying = isCompressible(reply)
  const isCompressed = isVarying && knowsChunks && acceptsGzip(call.headers['accept-encoding'])
  const hasSize = source.size !== undefined && !isCompressed
  const isChunked = !hasSize && knowsChunks
  const encoding = isCompressed ? 'content-encoding: gzip\r\n' : ''
  const framing = hasSize ? `content-length: ${source.size}\r\n` : isChunked ? 'Transfer-Encoding: chunked\r\n' : ''
  const head = beginReply(
    isCompressed ? weakenTag(reply) : reply,
    (isVarying ? varyLine : '') + encoding + framing,
    call,
  )
  writer.socket.write(head, 'latin1', writer.onWritten)
  if (call.method === 'HEAD') return
  const send = (pieces: AsyncIterable<Buffer>) => writer.writePieces(pieces, isChunked)
  // gzip requests a piece before it has done with the one before
  if (isCompressed) await pipeline(copyEach(source.read()), createGzip({ flush }), send)
  else await send(source.read())
}

/** After each piece: the client need not wait for the next one of a slow source. */
const flush = constants.Z_SYNC_FLUSH

const statusLines = new Map(
  Object.entries(STATUS_CODES).map(([status, text]) => [Number(status), `HTTP/1.1 ${status} ${text}\r\n`]),
)

/** @returns the head. From here on no refusal can replace the reply. */
function beginReply(
  { status, headers, common = '' }: Reply,
  further: string,
  { connection, request }: IncomingCall,
): string {
  const first = statusLines.get(status) ?? `HTTP/1.1 ${status} unknown\r\n`
  const fields = formatFields(headers) // before the reply begins: it may throw
  const persistence = connection.markAnswered(request.keepsAlive)
  return `${first}${fields}${common}${further}Date: ${formatHttpDate(Date.now())}\r\n${persistence}\r\n\r\n`
}

/** Field values without line breaks: one would begin another header. */
const singleLine = /^[\t\x20-\x7e\x80-\xff]*$/

function formatFields(headers: Reply['headers']): string {
  let lines = ''
  for (let index = 0; index < headers.length; index += 2) {
    const field = `${headers[index]}: ${headers[index + 1]}`
    if (!singleLine.test(field)) throw new Error('HTTP cannot carry a header of this reply')
    lines += `${field}\r\n`
  }
  return lines
}
