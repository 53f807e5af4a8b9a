/**
 * `npm run without -- <feature>`: a copy of the repository without the folder of a feature, its tests, its page and its
 * rows still is a gateway: types, the build of the console, and the tests of functions and of the wire.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const names = readdirSync(join(root, 'src/features'))
/** The files that may have a row for a feature, besides its folders. */
const rows = [
  ...['src/features.ts', 'src/verifications.ts', 'src/sdk.ts', 'src/testing.ts', 'console/src/features.ts'],
  ...['test/ordeal/writers.ts', 'test/ordeal/walks.ts'],
]

/** `gateway.ts` names them: they cannot be deleted. */
const undeletable = names.filter((name) =>
  readFileSync(join(root, 'src/gateway.ts'), 'utf8').includes(`/features/${name}/`),
)

const [feature = ''] = process.argv.slice(2)
if (!names.includes(feature) || undeletable.includes(feature)) {
  if (undeletable.includes(feature))
    console.error(`src/gateway.ts names ${feature}: it is a step that its reader must see.`)
  const others = names.filter((name) => !undeletable.includes(name))
  console.error(`Name one of the features: npm run without -- ${others.join(' | ')}`)
  process.exit(2)
}

const copy = mkdtempSync(join(tmpdir(), `ig-without-${feature}-`))
process.on('exit', () => rmSync(copy, { recursive: true, force: true }))
copyFiles()
for (const folder of ['src/features', 'test/features', 'console/src/features'])
  rmSync(join(copy, folder, feature), { recursive: true, force: true })
// Checks of documents, example projects and comparisons, which may be about any feature
rmSync(join(copy, 'test/project'), { recursive: true })
const config = readFileSync(join(copy, 'tsconfig.json'), 'utf8')
writeFileSync(join(copy, 'tsconfig.json'), config.replace(' "examples",', '').replace(', "bench"', ''))
const referenceFile = join(copy, 'examples/reference/gateway.config.ts')
const reference = readFileSync(referenceFile, 'utf8')
writeFileSync(referenceFile, listVerifications().reduce(withBasic, reference))
for (const file of rows) writeFileSync(join(copy, file), withoutRow(readFileSync(join(copy, file), 'utf8')))
const source = '--conditions=integration-gateway-source'
const run = (what: string, command: string, ...args: readonly string[]) => {
  console.log(`\nWithout ${feature}: ${what}`)
  const { status } = spawnSync(command, args, { cwd: copy, stdio: 'inherit', env: { ...process.env, INIT_CWD: copy } })
  if (status !== 0) process.exit(1)
}
run('types', process.execPath, 'node_modules/typescript/bin/tsc', '--noEmit')
run('types of the console', 'npm', 'run', '--silent', '--workspace', 'console', 'check')
run('the build of the console', process.execPath, 'console/build.js')
const tests = execFileSync('git', ['ls-files', 'test/unit/*.test.ts', 'test/wire/*.test.ts'], {
  cwd: root,
  encoding: 'utf8',
})
run(
  'tests',
  process.execPath,
  source,
  'test/run.ts',
  ...tests
    .trim()
    .split('\n')
    .filter((file) => existsSync(join(copy, file))),
)
console.log(`\nWithout ${feature} it is still a gateway.`)

function copyFiles(): void {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], { cwd: root })
  for (const file of listed.toString().split('\0')) {
    if (file === '' || !existsSync(join(root, file))) continue
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    cpSync(join(root, file), join(copy, file))
  }
  for (const folder of ['', 'console', 'site', 'tools/openapi-client', 'tools/deployment'])
    if (existsSync(join(root, folder, 'node_modules')))
      symlinkSync(join(root, folder, 'node_modules'), join(copy, folder, 'node_modules'))
}

function listVerifications(): readonly string[] {
  const file = join(root, 'src/features', feature, 'verifications.ts')
  const source = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return [...source.matchAll(/^ {2}(\w+): \{/gm)].map(([, name = '']) => name)
}

/** Operations of the reference project may have a verification of the feature. */
function withBasic(configuration: string, verification: string): string {
  return configuration.replaceAll(`verification: '${verification}'`, "verification: 'Basic'")
}

/** Its imports, and every use of what they name. */
function withoutRow(source: string): string {
  const line = new RegExp(`^(?:import|export) (?:type )?\\{([^}]*)\\} from '\\.{1,2}/features/${feature}/.*'\\n`, 'gm')
  const imported = [...source.matchAll(line)].flatMap(([whole, list = '']) =>
    whole.startsWith('import') ? list.split(',').map((each) => each.trim()) : [],
  )
  let rest = source.replace(line, '')
  for (const each of imported)
    rest = rest.replace(new RegExp(`(?:\\.{3})?(?<!')\\b${each}\\b(?!')(?:\\.\\w+)?,? ?`, 'g'), '')
  return rest
}
