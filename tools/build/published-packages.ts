/**
 * What the published package consists of besides our own code: all that its dependencies bring along, and what the built
 * console and documentation have within. Read from the lock file, in which each is at one version with one digest.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface LockedPackage {
  /** Where another package is installed in its place. */
  readonly name?: string
  readonly version?: string
  readonly integrity?: string
  readonly license?: string
  readonly resolved?: string
  readonly link?: boolean
  readonly optional?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

/** By the place in the checkout: `node_modules/zod`. */
export type Lock = Readonly<Record<string, LockedPackage>>
export type Packages = ReadonlyMap<string, LockedPackage>

const root = join(import.meta.dirname, '../..')

export function readLock(): Lock {
  return (JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Lock }).packages
}

/** What npm installs beside the package. */
export function findInstalled(lock: Lock): Packages {
  return findAll(lock, '', Object.keys(lock['']?.dependencies ?? {}))
}

/** What VitePress puts into the pages besides its own theme. */
const ofSite = ['vue', '@vueuse/core', '@vueuse/integrations', 'focus-trap', 'mark.js', 'minisearch']

/** What the files of the built console and documentation are made of. */
export function findBundled(lock: Lock): Packages {
  const sources = globSync('console/src/**/*.{ts,tsx}', { cwd: root }).map((file) =>
    readFileSync(join(root, file), 'utf8'),
  )
  const imports = sources.flatMap((source) => [...source.matchAll(/(?:^import|\bfrom) '((?:@[\w-]+\/)?[\w][\w.-]*)/gm)])
  const ofConsole = findAll(lock, 'console', [...new Set(imports.map(([, name = '']) => name))])
  const vitepress = findPlace(lock, 'site', 'vitepress') ?? ''
  return new Map([...ofConsole, ...findAll(lock, 'site', ofSite), [vitepress, lock[vitepress] ?? {}]])
}

/** As npm's SBOM names it. */
export function refOf(place: string, { name, version }: LockedPackage): string {
  return `${name ?? place.replace(/^.*node_modules\//, '')}@${version}`
}

function findAll(
  lock: Lock,
  from: string,
  names: readonly string[],
  found = new Map<string, LockedPackage>(),
): Packages {
  for (const name of names) {
    const place = findPlace(lock, from, name)
    const locked = place === undefined ? undefined : lock[place]
    if (place === undefined || !locked) throw new Error(`The lock file has no ${name} for ${from || 'the package'}.`)
    if (found.has(place)) continue
    found.set(place, locked)
    const { dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta = {} } = locked
    const peers = Object.keys(peerDependencies).filter((peer) => !peerDependenciesMeta[peer]?.optional)
    findAll(lock, place, [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers], found)
  }
  return found
}

/** As Node looks for it: in the folder itself, then in each above. */
function findPlace(lock: Lock, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.replace(/(?:^|\/)[^/]*$/, '')) {
    const place = `${folder && `${folder}/`}node_modules/${name}`
    if (lock[place]) return place
    if (folder === '') return undefined
  }
}
