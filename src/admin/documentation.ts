/** The built documentation site at /docs/, for everyone who reaches the administration plane (specification 39.1 to 39.3). */
import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { packageFolder } from '../base/own-files.ts'
import { forever, openBuiltFiles } from './built-files.ts'

const built = new URL('site/dist/', packageFolder)

export function addDocumentation(app: FastifyInstance): void {
  const files = new Set(globSync('**/*.{html,js,css,svg,png}', { cwd: fileURLToPath(built) }).map(asPath))
  if (!files.has('index.html')) return // not built
  const open = { config: { access: 'public' }, exposeHeadRoute: true } as const
  const send = openBuiltFiles(built)
  app.get('/docs', open, async (_, reply) => reply.redirect('/docs/'))
  app.get('/docs/*', open, async (request, reply) => {
    const { '*': path } = request.params as { readonly '*': string }
    const name = path === '' || path.endsWith('/') ? `${path}index.html` : path
    if (!files.has(name)) return send(request, reply.code(404), '404.html')
    return send(request, name.startsWith('assets/') ? reply.header('cache-control', forever) : reply, name)
  })
}

function asPath(name: string): string {
  return name.replaceAll('\\', '/')
}
