/** The files that the loading process may read: code, but no settings or data (specification 18.37). */
import { readdir, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { codeFolder } from '../../base/package-files.ts'

const ownCode = resolve(fileURLToPath(codeFolder))
const secret = /^(?:\..*|integrationGateway\.properties|.*\.(?:pem|key|p12|pfx|jks|sqlite.*|db(?:-\w+)?))$/

/**
 * @param folder of the project, symbolic links resolved
 * @param hidden files that the settings name, whatever their names, and the companion files of a database
 */
export async function listReadable(folder: string, hidden: readonly string[] = []): Promise<readonly string[]> {
  const parents = [...listParents(folder), ...listParents(ownCode)]
  const packages = await Promise.all(parents.map(listLinkedPackages))
  const files = await Promise.all(hidden.map((file) => realpath(file).catch(() => file)))
  const isHidden = (path: string) =>
    path === join(folder, 'data') ||
    secret.test(basename(path)) ||
    files.some((file) => path === file || path.startsWith(`${file}-`))
  return [
    ...new Set([
      ownCode,
      ...(await listEntries(folder, { folder, isHidden })).readable,
      ...parents.flatMap((parent) => [join(parent, 'package.json'), join(parent, 'node_modules')]),
      ...packages.flat(),
    ]),
  ]
}

interface Rule {
  readonly folder: string
  isHidden(path: string): boolean
}

/** A folder without hidden files is readable as a whole; otherwise only its other files. */
async function listEntries(at: string, rule: Rule): Promise<{ readable: readonly string[]; isWhole: boolean }> {
  const entries = await readdir(at, { withFileTypes: true })
  const readable: string[] = []
  let isWhole = true
  for (const entry of entries) {
    const path = join(at, entry.name)
    const isOpen = !rule.isHidden(path) && (!entry.isSymbolicLink() || (await isOpenLink(path, rule)))
    const within =
      isOpen && entry.isDirectory() && entry.name !== 'node_modules' ? await listEntries(path, rule) : undefined
    if (isOpen && (within?.isWhole ?? true)) readable.push(path)
    else {
      isWhole = false
      readable.push(...(within?.readable ?? []))
    }
  }
  return { readable, isWhole }
}

/** Node follows links anywhere: allow only those to code, or to readable files of the project. */
async function isOpenLink(path: string, { folder, isHidden }: Rule): Promise<boolean> {
  const target = await realpath(path).catch(() => '')
  if (/\.[cm]?[jt]s$/.test(target)) return true
  if (!target.startsWith(folder + sep)) return false
  const names = target.slice(folder.length + 1).split(sep)
  return !names.some((_, index) => isHidden(join(folder, ...names.slice(0, index + 1))))
}

/** Where Node looks for packages. */
function listParents(folder: string): readonly string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...listParents(parent)]
}

/** Packages of a workspace are links to other folders. */
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
