/** A copy of the checkout, outside of it, and the package that `npm pack` makes of it: once for the test files of a process. */
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { after } from 'node:test'

const root = join(import.meta.dirname, '../..')
export const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'ig-packed-')))
/** The checkout itself stays as it is: others may be using it at this moment. */
export const checkout = join(scratch, 'checkout')

const left = new Set(['.git', 'node_modules', 'dist', 'data'])
const built = ['site', 'console'].map((part) => join(part, 'dist')) // is built again only if a source has changed since
cpSync(root, checkout, {
  recursive: true,
  filter: (path) => built.some((folder) => path.endsWith(folder)) || !left.has(basename(path)),
})
for (const folder of globSync(['node_modules', '{console,site}/node_modules'], { cwd: root }))
  symlinkSync(join(root, folder), join(checkout, folder))
for (const name of ['deploy/secrets/password', 'examples/hr/data/gateway.sqlite']) {
  // what a run leaves in a checkout
  mkdirSync(dirname(join(checkout, name)), { recursive: true })
  writeFileSync(join(checkout, name), '')
}
after(() => rmSync(scratch, { recursive: true, force: true }))

/** @returns the file that a test has packed there, or one packed now */
export function pack(env: Readonly<Record<string, string | undefined>>): string {
  const find = () => globSync('{.,../my-gateway}/*.tgz', { cwd: checkout }).map((name) => join(checkout, name))[0]
  const made = find()
  if (made !== undefined) return made
  const { status, stderr } = spawnSync('npm', ['pack', '--silent'], { cwd: checkout, env, encoding: 'utf8' })
  const packed = find()
  if (status !== 0 || packed === undefined) throw new Error(`npm pack failed:\n${stderr}`)
  return packed
}
