#!/usr/bin/env node
/** The `ig` command: in the checkout it runs the sources, in the package what was compiled from them. */
import { existsSync } from 'node:fs'
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
  const main = isCheckout ? sources : new URL('../dist/cli/main.js', import.meta.url)
  import(main.href).then((module) => module.main(process.argv.slice(2)))
}
