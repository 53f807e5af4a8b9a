/**
 * `sbom.cdx.json`: the parts of the published package in CycloneDX, by npm itself. What is for development only is left
 * out, save what the built console has within; so are time and number of the document: the same sources give the same file.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findBundled, findInstalled, readLock, refOf } from './published-packages.ts'

interface Component {
  readonly 'bom-ref': string
  readonly name: string
  readonly version: string
  readonly scope?: string
  readonly properties?: readonly unknown[]
}

interface Bom {
  readonly serialNumber?: string
  readonly metadata: { readonly timestamp?: string; readonly component: Component }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

const root = join(import.meta.dirname, '../..')
const all = ['dev', 'optional', 'peer'].map((kind) => `--include=${kind}`) // whatever a user's npm omits
const args = ['sbom', '--package-lock-only', ...all, '--sbom-format', 'cyclonedx', '--sbom-type', 'application']
const { serialNumber: _, ...bom } = JSON.parse(run('npm', args)) as Bom
const { timestamp: __, ...metadata } = bom.metadata
const own = metadata.component['bom-ref']
const component = { ...metadata.component, name: own.replace(/@[^@]*$/, '') } // npm names it after the folder
const lock = readLock()
const parts = new Map(
  [...findInstalled(lock), ...findBundled(lock)].map(([place, locked]) => [refOf(place, locked), locked]),
)
const components = bom.components.flatMap(({ properties: _, ...each }) => {
  const part = parts.get(each['bom-ref'])
  return part ? [{ ...each, scope: part.optional ? 'optional' : 'required' }] : [] // npm says where it lay in the checkout
})
const partsOf = (ref: string) =>
  bom.dependencies.find((each) => each.ref === ref)?.dependsOn.filter((each) => parts.has(each)) ?? []
const console = bom.dependencies.find(({ ref }) => ref.startsWith('integration-gateway-console@'))?.ref ?? ''
const dependencies = [
  { ref: own, dependsOn: [...new Set([...partsOf(own), ...partsOf(console)])].sort() },
  ...components.map((each) => ({ ref: each['bom-ref'], dependsOn: partsOf(each['bom-ref']) })),
]
const missing = [...parts.keys()].filter((ref) => !components.some((each) => each['bom-ref'] === ref))
if (missing.length > 0) throw new Error(`npm sbom has no ${missing.join(', ')}.`)
const written = { ...bom, metadata: { ...metadata, component }, components, dependencies }
writeFileSync(join(root, 'sbom.cdx.json'), `${JSON.stringify(written, null, 2)}\n`)

function run(command: string, args: readonly string[]): string {
  const options = {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 ** 2,
    stdio: ['ignore', 'pipe', 'inherit'],
  } as const
  return execFileSync(command, args, options)
}
