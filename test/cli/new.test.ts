/** `ig new` where it needs no package: what it refuses, and the names that it gives (specification 14.7). The rest is in test/project. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ig, makeProject } from '../support/cli.ts'

for (const { title, folder, told } of [
  { title: 'that is not empty', folder: '.', told: /^ig: \. is not empty\. Name a folder that is empty or / },
  { title: 'that is a file', folder: 'package.json', told: /^ig: package\.json is a file\. Name a folder / },
  { title: 'within a file', folder: 'package.json/x', told: /^ig: package\.json\/x (?:is a file|cannot be created)/ },
  { title: 'without a name', folder: '', told: /^ig: the folder name is empty\. / },
  { title: 'in node_modules', folder: 'node_modules/x', told: /^ig: node_modules\/x is in node_modules, where / },
  { title: 'with a name too long for the system', folder: 'x'.repeat(300), told: /^ig: x+ cannot be created: / },
]) {
  test(`14.7 a folder ${title} is refused`, async () => {
    const { code, stderr } = await ig(['new', folder], { cwd: makeProject({}) })
    assert.equal(code, 1)
    assert.match(stderr, told)
  })
}

test('14.7 the package of a new project has a name that npm accepts, and depends on the given gateway', async () => {
  const cwd = makeProject({ 'packed.tgz': '' })
  for (const [folder, name] of [
    ['Über Größe 7', 'ber-gr-e-7'],
    ['integration-gateway', 'my-gateway'],
  ] as const) {
    const { code, stdout } = await ig(['new', folder, '--gateway', 'packed.tgz'], { cwd })
    assert.equal(code, 0)
    assert.ok(stdout.startsWith(`Created ${folder}. Next:\n  cd `), stdout)
    const { name: made, dependencies } = JSON.parse(readFileSync(join(cwd, folder, 'package.json'), 'utf8'))
    assert.deepEqual([made, dependencies['integration-gateway']], [name, 'file:../packed.tgz'])
  }
  const { code, stderr } = await ig(['new', 'other', '--gateway', 'missing.tgz'], { cwd })
  assert.deepEqual([code, /^ig: missing\.tgz does not exist\. /.test(stderr)], [1, true])
})
