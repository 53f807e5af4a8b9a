/** The built documentation site at /docs/, for everyone who reaches the administration plane (specification 39.1). */
import { existsSync, globSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { packageFolder } from '../base/package-files.ts'
import { forever, openBuiltFiles } from './built-files.ts'

const built = new URL('site/dist/', packageFolder)

export function addDocumentation(app: FastifyInstance): void {
  if (!existsSync(new URL('index.html', built))) return // not built
  let files: ReadonlySet<string> | undefined // hundreds, which no start waits for
  const open = { config: { access: 'public' }, exposeHeadRoute: true } as const
  const send = openBuiltFiles(built)
  app.get('/docs', open, async (_, reply) => reply.redirect('/docs/'))
  app.get('/docs/*', open, async (request, reply) => {
    const { '*': path } = request.params as { readonly '*': string }
    files ??= listFiles()
    const name = [path, `${path}.html`, posix.join(path, 'index.html')].find((each) => files?.has(each))
    if (name === undefined) return send(request, reply.code(404), '404.html')
    return send(request, name.startsWith('assets/') ? reply.header('cache-control', forever) : reply, name)
  })
}

function listFiles(): ReadonlySet<string> {
  const names = globSync('**/*.{html,md,txt,js,css,svg,png}', { cwd: fileURLToPath(built) })
  return new Set(names.map((name) => name.replaceAll('\\', '/')))
}
