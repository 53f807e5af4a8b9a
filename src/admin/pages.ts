/** What the administration plane serves besides its API: the OpenAPI, its reference, and the page of the one-time link. */
import type { FastifyInstance } from 'fastify'
import { writeOpenApi } from './openapi.ts'
import { writeReference } from './reference-page.ts'
import type { Route } from './route.ts'
import { setupPage, setupScript, style } from './setup-page.ts'

export function addPages(app: FastifyInstance, routes: readonly Route[], version: string): void {
  const openApi = writeOpenApi(routes, version)
  const open = { config: { access: 'public' }, exposeHeadRoute: true } as const
  const page = (url: string, type: string, body: string | object) =>
    app.get(url, open, async (_, reply) => reply.header('content-type', type).send(body))
  page('/openapi.json', 'application/json', openApi)
  page('/reference', 'text/html; charset=utf-8', writeReference(openApi))
  page('/setup', 'text/html; charset=utf-8', setupPage)
  page('/setup.js', 'text/javascript; charset=utf-8', setupScript)
  page('/style.css', 'text/css; charset=utf-8', style)
  app.get('/', open, async (_, reply) => reply.redirect('/reference'))
}
