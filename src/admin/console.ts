/**
 * The built pages of the console and the API reference, with a new nonce in each response, and their files
 * (specification 18.14, 19.1, 18.13).
 */
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { packageFolder } from '../base/package-files.ts'
import { forever, openBuiltFiles } from './built-files.ts'
import type { Cookies } from './cookies.ts'
import { writePolicy } from './security-headers.ts'

const built = new URL('console/dist/', packageFolder)
/** The placeholder for the nonce in the built index.html. */
const placeholder = '%CSP_NONCE%'

/** @returns false if the console is not built */
export function addConsole(app: FastifyInstance, cookies: Pick<Cookies, 'readSession'>): boolean {
  const [index, reference] = [readPage('index.html'), readPage('reference.html')]
  if (index === undefined) return false
  const open = { config: { access: 'public' }, exposeHeadRoute: true } as const
  const assets = new URL('assets/', built)
  const names = new Set(readdirSync(assets).filter((name) => !name.endsWith('.br')))
  const ofPages = JSON.parse(readPage('pages.json') ?? '{}') as Readonly<Record<string, readonly string[]>>
  const send = openBuiltFiles(assets)

  app.get('/console/assets/:name', open, async (request, reply) => {
    const { name } = request.params as { readonly name: string }
    if (!names.has(name)) return reply.callNotFound()
    return send(request, reply.header('cache-control', forever), name)
  })
  const page = (html: string) => async (request: FastifyRequest, reply: FastifyReply) => {
    const nonce = randomBytes(16).toString('base64')
    if (html === index && cookies.readSession(request) !== undefined)
      reply.header('link', listPreloads(request.url, ofPages))
    reply.headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': writePolicy(nonce) })
    return reply.send(html.replaceAll(placeholder, nonce))
  }
  app.get('/console', open, page(index))
  app.get('/console/*', open, page(index)) // the script selects the page by the path
  if (reference !== undefined) app.get('/reference', open, page(reference))
  return true
}

/** What the page of this address asks for anyway, once its first script runs: the browser need not wait for that. */
function listPreloads(url: string, ofPages: Readonly<Record<string, readonly string[]>>): string {
  const [, , first = 'overview', item] = new URL(url, built).pathname.split('/')
  const names = [first in ofPages ? first : 'configuration'] // which has all lists of the configuration
  if (first === 'operations' && item) names.push('configuration/operation-editor')
  const scripts = new Set(names.flatMap((name) => ofPages[name] ?? []))
  return [
    '</api/session>; rel=preload; as=fetch; crossorigin',
    ...[...scripts].map((name) => `</console/assets/${name}>; rel=modulepreload`),
  ].join(', ')
}

function readPage(name: string): string | undefined {
  try {
    return readFileSync(new URL(name, built), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
