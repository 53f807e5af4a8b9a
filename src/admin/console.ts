/**
 * The console's built files, and its page with a nonce of its own for each answer (specification 19.1, 19.2). They are
 * read once, when the administration plane is first asked for something, and are held compressed.
 */
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { writePolicy } from './content-security-policy.ts'

const built = new URL('../../console/dist/', import.meta.url)
/** What the build leaves in index.html where the nonce belongs. */
const placeholder = '%CSP_NONCE%'

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** By the process: to compress them takes a tenth of a second. */
let held: ReadonlyMap<string, Asset> | undefined

/** @returns false where the console is not built */
export function addConsole(app: FastifyInstance): boolean {
  const index = readIndex()
  if (index === undefined) return false
  const open = { config: { access: 'public' }, exposeHeadRoute: true } as const
  held ??= new Map(readdirSync(new URL('assets/', built)).map((name) => [name, readAsset(name)] as const))
  const assets = held

  app.get('/console/assets/:name', open, async (request, reply) => {
    const { name } = request.params as { readonly name: string }
    const asset = assets.get(name)
    if (!asset) return reply.callNotFound()
    reply.headers({ 'content-type': asset.type, 'cache-control': 'public, max-age=31536000, immutable' })
    return sendCompressed(reply, request.headers['accept-encoding'], asset)
  })
  const page = async (_: unknown, reply: FastifyReply) => {
    const nonce = randomBytes(16).toString('base64')
    reply.headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': writePolicy(nonce) })
    return reply.send(index.replaceAll(placeholder, nonce))
  }
  app.get('/console', open, page)
  app.get('/console/*', open, page) // which page it is, its script reads from the path
  return true
}

function readIndex(): string | undefined {
  try {
    return readFileSync(new URL('index.html', built), 'utf8')
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
  return { type: types[extname(name)] ?? 'application/octet-stream', plain, gzip: gzipSync(plain) }
}

function sendCompressed(reply: FastifyReply, accepted: string | undefined, { plain, gzip }: Asset) {
  reply.header('vary', 'accept-encoding')
  if (!/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(accepted ?? '')) return reply.send(plain)
  return reply.header('content-encoding', 'gzip').send(gzip)
}
