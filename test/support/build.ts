/**
 * The gateway as a package whose code is a few large files, for the processes that tests start: 700 small modules cost each
 * of them more processor time than all that it does. Laid out as the package is, with the checkout beside it for what the
 * tests load themselves.
 */
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const root = join(import.meta.dirname, '../..')
const source = join(root, 'src')
/** Native, or a reader of files beside it. */
const kept = /^(?:node:|@node-rs\/|oidc-provider$|pg-native$|pg-cloudflare$|pino$|integration-gateway)/

/** @returns its folder, built again if a source has changed */
export async function buildGateway(): Promise<string> {
  const files = ['package.json', 'package-lock.json', 'bin/*.js', 'src/**/*.ts', 'test/support/build.ts']
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .sort()
  const hash = createHash('sha256').update(`${root}\0`) // which the built files name
  for (const file of files) hash.update(`${file}\0`).update(readFileSync(join(root, file)))
  const built = join(root, 'node_modules/.cache/built', hash.digest('hex').slice(0, 12))
  if (existsSync(built)) return built
  removeOld(dirname(built))
  const making = `${built}.${process.pid}`
  await bundle(join(built, 'dist'), join(making, 'dist'))
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

/** An hour ago no run began that still needs it. */
function removeOld(folder: string): void {
  for (const name of existsSync(folder) ? readdirSync(folder) : [])
    if (statSync(join(folder, name)).mtimeMs < Date.now() - 3_600_000) rmSync(join(folder, name), { recursive: true })
}

/** @param place where the files will be at last: modules find others beside where they would be on their own */
async function bundle(place: string, folder: string): Promise<void> {
  const started = globSync('**/*.ts', { cwd: source }).flatMap((file) =>
    [...readFileSync(join(source, file), 'utf8').matchAll(/new URL\(`\.\/([\w-]+)\$\{extname\(/g)].map(([, name]) =>
      join(dirname(file), `${name}.ts`),
    ),
  )
  const entries = ['cli/main.ts', 'sdk.ts', 'testing.ts', ...started]
  const compiled = (file: string) => file.replace(/\.ts$/, '.js')
  const build = await rolldown({
    input: Object.fromEntries(entries.map((file) => [compiled(file).slice(0, -3), join(source, file)])),
    platform: 'node',
    external: kept,
    resolve: { conditionNames: ['integration-gateway-source', 'node'] },
    logLevel: 'silent',
    plugins: [
      {
        name: 'places',
        transform(code, id) {
          if (!id.startsWith(source) || !code.includes('import.meta.url')) return undefined
          const url = pathToFileURL(join(place, compiled(relative(source, id)))).href
          return { code: code.replaceAll('import.meta.url', JSON.stringify(url)) }
        },
      },
    ],
  })
  mkdirSync(folder, { recursive: true })
  await build.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunk-[name]-[hash].js',
    minify: false,
  })
  await build.close()
}

if (import.meta.main) console.log(await buildGateway())
