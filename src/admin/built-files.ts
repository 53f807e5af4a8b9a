/** Files of the built console and documentation. Each is read on its first request and kept compressed (specification 18.13, 39.1). */
import { existsSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** `Cache-Control` of a file that has the hash of its content in its name. */
export const forever = 'public, max-age=31536000, immutable'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}

/** The best first. Brotli only where the build made it: at its quality it takes a second. */
const encodings = [
  { name: 'br', read: (file: URL) => readIfThere(new URL(`${file.href}.br`)) },
  { name: 'gzip', read: (file: URL) => gzipSync(readFileSync(file)) },
  { name: 'identity', read: (file: URL) => readFileSync(file) },
] as const

/** Kept per process, because compressing all files takes a tenth of a second. */
const held = new Map<string, Buffer | undefined>()

/** @returns sends a file of the folder; the caller knows that it exists */
export function openBuiltFiles(folder: URL) {
  return ({ headers }: FastifyRequest, reply: FastifyReply, name: string): FastifyReply => {
    const file = new URL(name, folder)
    const accepted = headers['accept-encoding'] ?? ''
    reply.headers({ 'content-type': types[extname(name)] ?? 'application/octet-stream', vary: 'accept-encoding' })
    for (const encoding of encodings) {
      const isPlain = encoding.name === 'identity'
      const body = isPlain || accepts(accepted, encoding.name) ? readOnce(file, encoding) : undefined
      if (body) return (isPlain ? reply : reply.header('content-encoding', encoding.name)).send(body)
    }
    return reply
  }
}

function accepts(header: string, encoding: string): boolean {
  return new RegExp(`\\b${encoding}\\b(?!\\s*;\\s*q=0(?:\\.0*)?\\s*(?:,|$))`).test(header)
}

function readOnce(file: URL, { name, read }: (typeof encodings)[number]): Buffer | undefined {
  const key = `${name} ${file.href}`
  if (!held.has(key)) held.set(key, read(file))
  return held.get(key)
}

function readIfThere(file: URL): Buffer | undefined {
  return existsSync(file) ? readFileSync(file) : undefined
}
