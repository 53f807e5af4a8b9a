#!/usr/bin/env node
/** `npm create integration-gateway <folder>`: npm runs `ig new` of the gateway that has this package's version. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const args = ['exec', '--yes', `--package=integration-gateway@${version}`, '--', 'ig', 'new', ...process.argv.slice(2)]
const npm = process.env.npm_execpath // set by npm, and by others that have a create
const [command, ...first] = npm?.endsWith('npm-cli.js') ? [process.execPath, npm] : ['npm']
const { status, error } = spawnSync(command, [...first, ...args], { stdio: 'inherit' })
if (error) console.error(`npm cannot be run: ${error.message}`)
process.exitCode = status ?? 1
