/**
 * The built pages of the console and the API reference, with a new nonce in each response, and their files
 * (specification 18.14, 19.1, 19.2). A file is read on first request and kept compressed.
 */
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { writePolicy } from './content-security-policy.ts'

const built = new URL('../../console/dist/', import.meta.url)
/** The placeholder for the nonce in the built index.html. */
const placeholder = '%CSP_NONCE%'

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Kept per process, because compressing all files takes a tenth of a second. */
const held = new Map<string, Asset>()

/** @returns false if the console is not built */
export function addConsole(app: FastifyInstance): boolean {
  const [index, reference] = [readPage('index.html'), readPage('reference.html')]
  if (index === undefined) return false
  const open = { config: { access: 'public' }, exposeHeadRoute: true } as const
  const names = new Set(readdirSync(new URL('assets/', built)))

  app.get('/console/assets/:name', open, async (request, reply) => {
    const { name } = request.params as { readonly name: string }
    if (!names.has(name)) return reply.callNotFound()
    const asset = held.get(name) ?? readAsset(name)
    reply.headers({ 'content-type': asset.type, 'cache-control': 'public, max-age=31536000, immutable' })
    return sendCompressed(reply, request.headers['accept-encoding'], asset)
  })
  const page = (html: string) => async (_: unknown, reply: FastifyReply) => {
    const nonce = randomBytes(16).toString('base64')
    reply.headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': writePolicy(nonce) })
    return reply.send(html.replaceAll(placeholder, nonce))
  }
  app.get('/console', open, page(index))
  app.get('/console/*', open, page(index)) // the script selects the page by the path
  if (reference !== undefined) app.get('/reference', open, page(reference))
  return true
}

function readPage(name: string): string | undefined {
  try {
    return readFileSync(new URL(name, built), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

interface Asset {
  readonly type: string
  readonly plain: Buffer
  readonly gzip: Buffer
}

function readAsset(name: string): Asset {
  const plain = readFileSync(new URL(`assets/${name}`, built))
  const asset = { type: types[extname(name)] ?? 'application/octet-stream', plain, gzip: gzipSync(plain) }
  held.set(name, asset)
  return asset
}

function sendCompressed(reply: FastifyReply, accepted: string | undefined, { plain, gzip }: Asset) {
  reply.header('vary', 'accept-encoding')
  if (!/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(accepted ?? '')) return reply.send(plain)
  return reply.header('content-encoding', 'gzip').send(gzip)
}
