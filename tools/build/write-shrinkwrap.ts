/** `npm-shrinkwrap.json` of the published package: who installs it gets the versions that were tested, by their digests. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findInstalled, readLock } from './published-packages.ts'

const root = join(import.meta.dirname, '../..')
const { name, version, license, bin, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const installed = [...findInstalled(readLock())].sort(([one], [other]) => (one < other ? -1 : 1))
const packages = { '': { name, version, license, bin, dependencies }, ...Object.fromEntries(installed) }
const written = { name, version, lockfileVersion: 3, requires: true, packages }
writeFileSync(join(root, 'npm-shrinkwrap.json'), `${JSON.stringify(written, null, 2)}\n`)
