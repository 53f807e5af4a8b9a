/** Serves the OpenAPI document, the built pages and the redirect of the one-time link. */
import type { FastifyInstance } from 'fastify'
import { addConsole } from './console.ts'
import type { Cookies } from './cookies.ts'
import { addDocumentation } from './documentation.ts'
import { type OpenApi, writeOpenApi } from './openapi.ts'
import type { Route } from './route.ts'

export function addPages(app: FastifyInstance, routes: readonly Route[], version: string, cookies: Cookies): void {
  let openApi: OpenApi | undefined // a tenth of a second, which no start waits for
  const open = { config: { access: 'public' }, exposeHeadRoute: true } as const
  app.get('/openapi.json', open, async (_, reply) => {
    openApi ??= writeOpenApi(routes, version)
    return reply.header('content-type', 'application/json').send(openApi)
  })
  const isBuilt = addConsole(app, cookies)
  addDocumentation(app)
  const lead = (from: string, to: string) => app.get(from, open, async (_, reply) => reply.redirect(to))
  lead('/', isBuilt ? '/console' : '/openapi.json')
  lead('/setup', isBuilt ? '/console/setup' : '/openapi.json') // browsers keep the fragment
  if (!app.hasRoute({ method: 'GET', url: '/reference' })) lead('/reference', '/openapi.json')
}
