/** What a project may not do with session tokens (specification 27.10). */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openProject, ProjectProblems } from '../../../src/project/open-project.ts'
import { copyReference } from '../../support/cli.ts'

test('27.10 a SessionTokenHandler is refused in an operation that takes session tokens', async () => {
  const folder = copyReference()
  const file = join(folder, 'gateway.config.ts')
  const text = readFileSync(file, 'utf8')
  const at = text.lastIndexOf("verification: 'Basic'", text.indexOf("'handlers/sign-in.ts'"))
  writeFileSync(file, `${text.slice(0, at)}${text.slice(at).replace('Basic', 'Token')}`)
  await assert.rejects(openProject(folder), (error) => {
    assert.ok(error instanceof ProjectProblems)
    assert.equal(error.problems.length, 1)
    assert.match(
      error.message,
      /^operations\[\d+\]\.handler names a SessionTokenHandler, but the operation has the verification Token: /,
    )
    return true
  })
})
