/** Files of the built console and documentation. Each is read on its first request and kept compressed (specification 19.2, 39.2). */
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** `Cache-Control` of a file that has the hash of its content in its name. */
export const forever = 'public, max-age=31536000, immutable'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}

/** Kept per process, because compressing all files takes a tenth of a second. */
const held = new Map<string, BuiltFile>()

interface BuiltFile {
  readonly type: string
  readonly plain: Buffer
  readonly gzip: Buffer
}

/** @returns sends a file of the folder; the caller knows that it exists */
export function openBuiltFiles(folder: URL) {
  return ({ headers }: FastifyRequest, reply: FastifyReply, name: string): FastifyReply => {
    const { type, plain, gzip } = readOnce(new URL(name, folder))
    reply.headers({ 'content-type': type, vary: 'accept-encoding' })
    if (!/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(headers['accept-encoding'] ?? '')) return reply.send(plain)
    return reply.header('content-encoding', 'gzip').send(gzip)
  }
}

function readOnce(file: URL): BuiltFile {
  const known = held.get(file.href)
  if (known) return known
  const plain = readFileSync(file)
  const read = { type: types[extname(file.pathname)] ?? 'application/octet-stream', plain, gzip: gzipSync(plain) }
  held.set(file.href, read)
  return read
}
