/**
 * The built pages of the console and the API reference, with a new nonce in each response, and their files
 * (specification 18.14, 19.1, 19.2).
 */
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { packageFolder } from '../base/own-files.ts'
import { forever, openBuiltFiles } from './built-files.ts'
import { writePolicy } from './content-security-policy.ts'

const built = new URL('console/dist/', packageFolder)
/** The placeholder for the nonce in the built index.html. */
const placeholder = '%CSP_NONCE%'

/** @returns false if the console is not built */
export function addConsole(app: FastifyInstance): boolean {
  const [index, reference] = [readPage('index.html'), readPage('reference.html')]
  if (index === undefined) return false
  const open = { config: { access: 'public' }, exposeHeadRoute: true } as const
  const assets = new URL('assets/', built)
  const names = new Set(readdirSync(assets))
  const send = openBuiltFiles(assets)

  app.get('/console/assets/:name', open, async (request, reply) => {
    const { name } = request.params as { readonly name: string }
    if (!names.has(name)) return reply.callNotFound()
    return send(request, reply.header('cache-control', forever), name)
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
