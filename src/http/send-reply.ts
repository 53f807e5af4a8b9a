/** Writes a reply to the wire: length, compression, and no body where HTTP has none (specification 7.1, 7.2). */
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { emptyBody, type Keeper, type Reply, type ReplyBody, type ReplyFile } from '../model/call.ts'
import { acceptsGzip, compressBody, isCompressible } from './compress.ts'
import { type Client, largeBytes, writeLarge, writePieces } from './write-large.ts'

/** As a string of bytes, a short body leaves in one write together with the head. */
const shortBytes = 8 * 1024

export interface Recipient extends Client {
  readonly request: IncomingMessage
}

/** What compressing holds, for each byte of the body: the result in pieces, and as a whole. */
const packingCost = 3

/**
 * Written at once, unless the body is large or still to be compressed.
 * @param isLast asked at the last moment: whether the connection closes after this reply
 */
export function sendReply(reply: Reply, to: Recipient, isLast: () => boolean): Promise<void> | undefined {
  const headers = [...reply.headers]
  if (reply.body.file) return sendFile(reply, reply.body.file, to, isLast)
  const { bytes } = reply.status === 205 ? emptyBody : reply.body
  const { keeper } = reply.body
  if (bytes.length === 0 || !isCompressible(reply)) {
    return write(reply.status, headers, bytes, to, isLast, keeper)
  }
  headers.push('vary', 'accept-encoding')
  const isPacked = acceptsGzip(to.request.headers['accept-encoding']) && mayPack(reply.body, to)
  const packed = isPacked ? compressBody(reply.body) : bytes
  const writePacked = (body: Buffer) => {
    if (body !== bytes) headers.push('content-encoding', 'gzip')
    if (bytes.length > largeBytes) to.memory.hold(body.length)
    return write(reply.status, headers, body, to, isLast, keeper)
  }
  return packed instanceof Promise ? packed.then(writePacked) : writePacked(packed)
}

/** A large body for which there is no memory is sent as it is. */
function mayPack({ bytes, gzip }: ReplyBody, to: Recipient): boolean {
  return gzip !== undefined || bytes.length <= largeBytes || to.memory.hold(bytes.length * packingCost)
}

function write(
  status: number,
  headers: string[],
  bytes: Buffer,
  to: Recipient,
  isLast: () => boolean,
  keeper: Keeper | undefined,
): Promise<void> | undefined {
  const { response } = to
  const hasNoBody = status === 204 || status === 304
  if (!hasNoBody) headers.push('content-length', String(bytes.length))
  if (isLast()) headers.push('connection', 'close')
  response.writeHead(status, headers)
  if (hasNoBody || to.request.method === 'HEAD') response.end()
  else if (bytes.length < shortBytes) response.end(bytes.toString('latin1'), 'latin1')
  else if (bytes.length <= largeBytes) response.end(bytes)
  else return writeLarge({ bytes, keeper }, to)
  return undefined
}

/** Read, perhaps compressed, and written piece by piece. */
async function sendFile(reply: Reply, file: ReplyFile, to: Recipient, isLast: () => boolean): Promise<void> {
  const { request, response } = to
  const headers = [...reply.headers]
  const isVarying = isCompressible(reply)
  const isPacked = isVarying && acceptsGzip(request.headers['accept-encoding'])
  if (isVarying) headers.push('vary', 'accept-encoding')
  if (isPacked) headers.push('content-encoding', 'gzip')
  else headers.push('content-length', String(file.size))
  if (isLast()) headers.push('connection', 'close')
  response.writeHead(reply.status, headers)
  if (request.method === 'HEAD') response.end()
  else if (isPacked) await pipeline(file.read(), createGzip(), (pieces) => writePieces(pieces, to))
  else await writePieces(file.read(), to)
}

/** The same, for a request that never became one: the last words on a connection. */
export function formatReply({ status, headers, body }: Reply): Buffer {
  const fields = [...headers, 'content-length', String(body.bytes.length), 'connection', 'close']
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`]
  for (let index = 0; index < fields.length; index += 2) lines.push(`${fields[index]}: ${fields[index + 1]}`)
  lines.push(`Date: ${new Date().toUTCString()}`)
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body.bytes])
}
