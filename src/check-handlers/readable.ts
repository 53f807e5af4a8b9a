/** What the process that loads modules may read: code, and neither settings nor data (specification 18.37). */
import { readdir, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ownCode = dirname(dirname(fileURLToPath(import.meta.url))) // src, or dist in the package
const secret = /^(?:\..*|data|integrationGateway\.properties|.*\.(?:pem|key|p12|pfx|sqlite.*))$/

/** @param folder of the project */
export async function listReadable(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder)
  const parents = [...listParents(folder), ...listParents(ownCode)]
  const packages = await Promise.all(parents.map(listLinkedPackages))
  return [
    ...new Set([
      ownCode,
      ...entries.filter((name) => !secret.test(name)).map((name) => join(folder, name)),
      ...parents.flatMap((parent) => [join(parent, 'package.json'), join(parent, 'node_modules')]),
      ...packages.flat(),
    ]),
  ]
}

/** Where packages are looked for. */
function listParents(folder: string): readonly string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...listParents(parent)]
}

/** Of a workspace: they are links to elsewhere. */
async function listLinkedPackages(parent: string): Promise<readonly string[]> {
  const modules = join(parent, 'node_modules')
  const entries = await readdir(modules, { withFileTypes: true }).catch(() => [])
  const scopes = entries.filter((entry) => entry.name.startsWith('@') && entry.isDirectory())
  const scoped = await Promise.all(
    scopes.map(({ name }) => readdir(join(modules, name), { withFileTypes: true }).catch(() => [])),
  )
  const links = [...entries, ...scoped.flat()].filter((entry) => entry.isSymbolicLink())
  const targets = await Promise.all(
    links.map(({ parentPath, name }) => realpath(join(parentPath, name)).catch(() => [])),
  )
  return targets.flat()
}
