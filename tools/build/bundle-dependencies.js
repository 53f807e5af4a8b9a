/**
 * Writes each dependency of many small files as one (decisions D-482): `npm run build` for the package, the tests and the
 * first `ig dev` for the checkout. Where the development dependencies are absent, it says so, and the gateway loads the
 * files as installed.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import * as module from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bundledFile, bundledNames } from '../../bin/bundled-dependencies.js'
import { asAscii } from './as-ascii.ts'

const root = join(import.meta.dirname, '../..')
const folder = resolve(root, process.argv[2] ?? 'node_modules/.bundled')
const here = pathToFileURL(`${root}/`)

if (hasRolldown()) await bundleAll()
else console.log('The dependencies are not bundled: rolldown is not installed (npm ci without --omit=dev brings it).')

/** What is there stays: another process may be loading it. */
async function bundleAll() {
  mkdirSync(folder, { recursive: true })
  const files = bundledNames.map((name) => bundledFile(name, here))
  for (const other of readdirSync(folder))
    if (!files.some((file) => other.startsWith(file))) rmSync(join(folder, other))
  const missing = bundledNames.filter((name) => !existsSync(join(folder, bundledFile(name, here))))
  if (missing.length > 0) console.log('Bundling dependencies…')
  for (const name of missing) await bundle(name)
  writeFileSync(join(folder, 'built-from.json'), JSON.stringify(files))
}

/** With its licence beside it. */
async function bundle(name) {
  const { build } = await import('rolldown')
  const file = join(folder, bundledFile(name, here))
  const installed = dirname(module.findPackageJSON(name, here))
  const licence = readdirSync(installed).find((each) => /^licen[cs]e/i.test(each))
  copyFileSync(join(installed, licence), `${file}.LICENSE`)
  await build({
    input: 'bundled',
    cwd: root,
    platform: 'node',
    logLevel: 'silent',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === 'bundled' ? '\0bundled' : undefined),
        load: (id) => (id === '\0bundled' ? `export * from '${name}'` : isUnused(id) ? 'export {}' : undefined),
      },
      asAscii,
    ],
    output: { file: `${file}.${process.pid}`, format: 'esm' },
  })
  renameSync(`${file}.${process.pid}`, file)
}

/** The messages of zod in fifty languages, a third of it; English ones are imported by themselves. */
function isUnused(id) {
  return /[/\\]zod[/\\]v4[/\\]locales[/\\]index\.js$/.test(id)
}

function hasRolldown() {
  try {
    return module.createRequire(import.meta.url).resolve('rolldown') !== ''
  } catch {
    return false
  }
}
