/** Writes a reply to the wire: length, compression, and no body where HTTP has none (specification 7.1, 7.2). */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { emptyBody, type Reply, type ReplyFile } from '../model/call.ts'
import { acceptsGzip, compressBody, isCompressible } from './compress.ts'

/** As a string of bytes, a short body leaves in one write together with the head. */
const shortBytes = 8 * 1024

/**
 * Written at once, unless the body is still to be compressed.
 * @param isLast asked at the last moment: whether the connection closes after this reply
 */
export function sendReply(
  reply: Reply,
  request: IncomingMessage,
  response: ServerResponse,
  isLast: () => boolean,
): Promise<void> | undefined {
  const headers = [...reply.headers]
  if (reply.body.file) return sendFile(reply, reply.body.file, request, response, isLast)
  const { bytes } = reply.status === 205 ? emptyBody : reply.body
  if (bytes.length === 0 || !isCompressible(reply)) {
    write(reply.status, headers, bytes, request, response, isLast)
    return undefined
  }
  headers.push('vary', 'accept-encoding')
  const packed = acceptsGzip(request.headers['accept-encoding']) ? compressBody(reply.body) : bytes
  const writePacked = (body: Buffer) => {
    if (body !== bytes) headers.push('content-encoding', 'gzip')
    write(reply.status, headers, body, request, response, isLast)
  }
  if (packed instanceof Promise) return packed.then(writePacked)
  writePacked(packed)
  return undefined
}

function write(
  status: number,
  headers: string[],
  bytes: Buffer,
  { method }: IncomingMessage,
  response: ServerResponse,
  isLast: () => boolean,
): void {
  const hasNoBody = status === 204 || status === 304
  if (!hasNoBody) headers.push('content-length', String(bytes.length))
  if (isLast()) headers.push('connection', 'close')
  response.writeHead(status, headers)
  if (hasNoBody || method === 'HEAD') response.end()
  else if (bytes.length < shortBytes) response.end(bytes.toString('latin1'), 'latin1')
  else response.end(bytes)
}

/** Read, perhaps compressed, and written piece by piece. */
async function sendFile(
  reply: Reply,
  file: ReplyFile,
  request: IncomingMessage,
  response: ServerResponse,
  isLast: () => boolean,
): Promise<void> {
  const headers = [...reply.headers]
  const isVarying = isCompressible(reply)
  const isPacked = isVarying && acceptsGzip(request.headers['accept-encoding'])
  if (isVarying) headers.push('vary', 'accept-encoding')
  if (isPacked) headers.push('content-encoding', 'gzip')
  else headers.push('content-length', String(file.size))
  if (isLast()) headers.push('connection', 'close')
  response.writeHead(reply.status, headers)
  if (request.method === 'HEAD') response.end()
  else if (isPacked) await pipeline(file.read(), createGzip(), response)
  else await pipeline(file.read(), response)
}

/** The same, for a request that never became one: the last words on a connection. */
export function formatReply({ status, headers, body }: Reply): Buffer {
  const fields = [...headers, 'content-length', String(body.bytes.length), 'connection', 'close']
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`]
  for (let index = 0; index < fields.length; index += 2) lines.push(`${fields[index]}: ${fields[index + 1]}`)
  lines.push(`Date: ${new Date().toUTCString()}`)
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body.bytes])
}
