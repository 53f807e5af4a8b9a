/** Settings of pass-through (specification 36.3, 36.5). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings, SettingsProblems } from '../../../src/settings.ts'

function read(values: Readonly<Record<string, string>>) {
  const given = Object.entries(values).map(([key, value]) => [key, { value, option: 'test' }] as const)
  return readSettings('/nowhere', {}, Object.fromEntries(given)).passThrough
}

test('36.3, 36.5 origins are lists, and a service is one origin with its user and password', () => {
  const service = {
    'ig.passThrough.service.origin': 'https://HR.example',
    'ig.passThrough.service.user': 'SERVICE',
    'ig.passThrough.service.password': 'word',
  }
  assert.deepEqual(read({ 'ig.passThrough.origins': 'https://hr.example', ...service }), {
    origins: ['https://hr.example'],
    serviceOrigin: 'https://hr.example',
    serviceUser: 'SERVICE',
    servicePassword: 'word',
  })
  for (const key of Object.keys(service))
    assert.throws(
      () => read(Object.fromEntries(Object.entries(service).filter(([name]) => name !== key))),
      (error: SettingsProblems) => {
        const problems = error.problems.map(({ path, message }) => `${path} ${message}`)
        assert.deepEqual(problems, [`${key} is missing: ig.passThrough.service needs origin, user and password`])
        return error instanceof SettingsProblems
      },
    )
})
