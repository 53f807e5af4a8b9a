/** What the administration plane serves besides its API: the console, the OpenAPI, its reference, and where the one-time link leads. */
import type { FastifyInstance } from 'fastify'
import { addConsole } from './console.ts'
import { writeOpenApi } from './openapi.ts'
import { style, writeReference } from './reference-page.ts'
import type { Route } from './route.ts'

export function addPages(app: FastifyInstance, routes: readonly Route[], version: string): void {
  const openApi = writeOpenApi(routes, version)
  const open = { config: { access: 'public' }, exposeHeadRoute: true } as const
  const page = (url: string, type: string, body: string | object) =>
    app.get(url, open, async (_, reply) => reply.header('content-type', type).send(body))
  page('/openapi.json', 'application/json', openApi)
  page('/reference', 'text/html; charset=utf-8', writeReference(openApi))
  page('/style.css', 'text/css; charset=utf-8', style)
  const hasConsole = addConsole(app)
  const lead = (from: string, to: string) => app.get(from, open, async (_, reply) => reply.redirect(to))
  lead('/', hasConsole ? '/console' : '/reference')
  lead('/setup', hasConsole ? '/console/setup' : '/reference#acceptInvitation') // a browser keeps what stands behind the #
}
