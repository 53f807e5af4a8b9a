/**
 * The gateway as it is published, with its dependencies in its few files, for the processes that tests start: 700 small modules
 * cost each of them more processor time than all that it does. The checkout is beside it for what the tests load themselves.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  globSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { bundleModules } from '../../tools/build/bundle-modules.ts'

const root = join(import.meta.dirname, '../..')
const source = join(root, 'src')
/** Native, or a reader of files beside it. */
const kept = /^(?:node:|@node-rs\/|oidc-provider$|pg-native$|pg-cloudflare$|pino$|integration-gateway)/

/** @returns its folder, built again if a source has changed */
export async function buildGateway(): Promise<string> {
  const files = [
    'package.json',
    'package-lock.json',
    'bin/*.js',
    'src/**/*.ts',
    'test/support/build.ts',
    'tools/build/bundle-modules.ts',
    'tsconfig*.json',
  ]
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .sort()
  const hash = createHash('sha256').update(`${root}\0`) // which the built files name
  for (const file of files) hash.update(`${file}\0`).update(readFileSync(join(root, file)))
  const built = join(root, 'node_modules/.cache/built', hash.digest('hex').slice(0, 12))
  if (existsSync(built)) return built
  removeOld(dirname(built))
  const making = `${built}.${process.pid}`
  const folder = join(making, 'dist')
  await Promise.all([bundleModules({ folder, external: (id) => kept.test(id) }), writeTypes(folder)])
  cpSync(join(root, 'bin'), join(making, 'bin'), { recursive: true })
  const own = readFileSync(join(root, 'package.json'), 'utf8').replaceAll('"./src/', '"./source/')
  writeFileSync(join(making, 'package.json'), own)
  symlinkSync(source, join(making, 'source'))
  symlinkSync(join(root, 'console'), join(making, 'console'))
  try {
    renameSync(making, built)
  } catch (error) {
    if (!existsSync(built)) throw error
    rmSync(making, { recursive: true }) // another one was faster
  }
  return built
}

/** The compiler reads them in a tenth of the time that the sources take. */
async function writeTypes(outDir: string): Promise<void> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const options = ['--project', 'tsconfig.build.json', '--singleThreaded', '--outDir', outDir]
  await promisify(execFile)(process.execPath, [compiler, ...options], { cwd: root })
}

/** An hour ago no run began that still needs it. */
function removeOld(folder: string): void {
  for (const name of existsSync(folder) ? readdirSync(folder) : [])
    if (statSync(join(folder, name)).mtimeMs < Date.now() - 3_600_000) rmSync(join(folder, name), { recursive: true })
}

if (import.meta.main) console.log(await buildGateway())
