#!/usr/bin/env node
/** The `ig` command: in the checkout it runs the sources, in the package what was compiled from them. */
import { existsSync } from 'node:fs'
import * as module from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findObstacle } from './check-runtime.js'

const sources = new URL('../src/cli/main.ts', import.meta.url)
const isCheckout = existsSync(fileURLToPath(sources))
const options = process.execArgv.concat(process.env.NODE_OPTIONS || '')
const isInstalled = !isCheckout || existsSync(fileURLToPath(new URL('../node_modules', import.meta.url)))
const obstacle = findObstacle({ version: process.version, isCheckout, options, isInstalled })

if (obstacle) {
  console.error(obstacle)
  process.exitCode = 1
} else {
  // A start that compiles nothing twice takes half the time and 40 MB less; its threads read the variable.
  module.enableCompileCache()
  const cache = module.getCompileCacheDir() // a folder for this version of Node, in the one that the variable names
  if (cache) process.env.NODE_COMPILE_CACHE ??= dirname(cache)
  if (process.env.IG_DEBUG && !isCheckout) process.setSourceMapsEnabled(true)
  // npm runs its scripts in the checkout's root: `npm run ig -- check` in a project's folder is about that folder.
  const { npm_lifecycle_event: script, npm_package_json: npmFile, INIT_CWD: folder } = process.env
  const isOwnScript = script === 'ig' && npmFile === fileURLToPath(new URL('../package.json', import.meta.url))
  if (isCheckout && isOwnScript && folder) process.chdir(folder)
  const entry = isCheckout ? sources : new URL('../dist/cli/main.js', import.meta.url)
  import('./use-bundled.js')
    .then(() => import(entry.href))
    .then(({ main, endProcess }) => main(process.argv.slice(2)).then(endProcess))
}
