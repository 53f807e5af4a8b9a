/** An npm registry on this machine that has the packages that `npm pack` made here, and sends npm elsewhere for all others. */
import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename } from 'node:path'
import { patience } from './patience.ts'

export interface PackedPackage {
  readonly manifest: { readonly name: string; readonly version: string }
  readonly file: string
}

/** @param elsewhere the registry that has the other packages */
export async function openRegistry(packages: readonly PackedPackage[], elsewhere: string) {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '/').slice(1)
    const own = packages.find(({ manifest, file }) => path === manifest.name || path === basename(file))
    if (!own) response.writeHead(302, { location: new URL(path, elsewhere).href }).end()
    else {
      const content = path === own.manifest.name ? describePackage(own, `http://${request.headers.host}`) : own.file
      response.setHeader('cache-control', 'no-store') // npm's cache is the user's
      response.end(content === own.file ? readFileSync(own.file) : content)
    }
  })
  server.keepAliveTimeout = patience // npm uses a connection again, however late
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() }
}

/** As a registry describes what was published to it as a release candidate. */
function describePackage({ manifest, file }: PackedPackage, url: string): string {
  const { name, version } = manifest
  const integrity = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`
  const dist = { tarball: `${url}/${basename(file)}`, integrity, unpackedSize: statSync(file).size }
  const hasShrinkwrap = name === 'integration-gateway'
  const published = { ...manifest, dist, ...(hasShrinkwrap && { _hasShrinkwrap: true }) }
  return JSON.stringify({ name, 'dist-tags': { next: version }, versions: { [version]: published } })
}
