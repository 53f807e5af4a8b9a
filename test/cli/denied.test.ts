/** Files and folders without the permissions that they need (specification 23.10). */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { findDenied } from '../../src/base/find-denied.ts'
import { explainFailure } from '../../src/terminal/explain-failure.ts'
import { ig, makeProject } from '../support/cli.ts'
import { clusterFiles } from '../support/cluster-project.ts'

const script = join(import.meta.dirname, '../support/denied.ts')

test('23.10 a database or a module without permissions is refused with the path and the permission that it needs (SQLite)', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ig-denied-'))
  chmodSync(folder, 0o755)
  const make = (name: string, mode: number, file?: string) => {
    mkdirSync(join(folder, name))
    if (file !== undefined) writeFileSync(join(folder, name, file), '')
    chmodSync(file === undefined ? join(folder, name) : join(folder, name, file), mode)
    if (file !== undefined) chmodSync(join(folder, name), 0o777)
  }
  make('closed', 0o000)
  make('fixed', 0o555)
  make('unread', 0o000, 'gateway.sqlite')
  make('unwritten', 0o444, 'gateway.sqlite')
  make('marked', 0o000, 'gateway-id.sqlite')
  t.after(() => {
    chmodSync(join(folder, 'closed'), 0o755)
    rmSync(folder, { recursive: true })
  })
  const names = ['closed', 'fixed', 'unread', 'unwritten', 'marked']
  const files = names.map((name) => join(folder, name, 'gateway.sqlite'))
  const module = join(folder, 'closed', 'hello.ts')
  const text = execFileSync(process.execPath, [...process.execArgv, script, ...files, module], { encoding: 'utf8' })
  const expected = [
    `may not enter the folder ${folder}/closed: it needs the permission x`,
    `may not create ${folder}/fixed/gateway.sqlite: the folder ${folder}/fixed needs the permission w`,
    `may not read ${folder}/unread/gateway.sqlite: it needs the permission r`,
    `may not write ${folder}/unwritten/gateway.sqlite: it needs the permission w`,
    `may not read ${folder}/marked/gateway-id.sqlite: it needs the permission r`,
  ]
  const lines = text.trimEnd().split('\n')
  assert.match(
    lines.pop() ?? '',
    /^cannot be loaded: closed\/hello\.ts: .* may not enter the folder .*\/closed: it needs the permission x$/,
  )
  assert.equal(lines.length, expected.length)
  for (const [at, line] of lines.entries()) {
    assert.match(line, /^ig: Cannot open the SQLite database /)
    assert.ok(line.endsWith(expected[at] as string), line)
  }
  assert.equal(findDenied(join(folder, 'fixed'), 'read'), undefined)
  const other = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES', path: join(folder, 'none') })
  assert.equal(explainFailure(other), 'ig: EACCES: permission denied') // the path is free by now
})

test('23.10 a folder of migrations that cannot be read is an error of the project, not a project without them', async () => {
  const folder = makeProject(clusterFiles)
  rmSync(join(folder, 'migrations'), { recursive: true })
  writeFileSync(join(folder, 'migrations'), 'a file')
  const { code, stderr, stdout } = await ig(['check', folder])
  assert.equal(code, 1)
  assert.match(`${stdout}${stderr}`, /migrations ENOTDIR: not a directory/)
})
