/** Settings of webhooks (specification 35.1, 35.2). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings, SettingsProblems } from '../../../src/settings.ts'

const secret = `whsec_${'QUJD'.repeat(8)}`

function read(values: Readonly<Record<string, string>>) {
  const given = Object.entries(values).map(([key, value]) => [key, { value, option: 'test' }] as const)
  return readSettings('/nowhere', {}, Object.fromEntries(given)).webhooks
}

function problemsOf(values: Readonly<Record<string, string>>): readonly string[] {
  try {
    read(values)
  } catch (error) {
    assert.ok(error instanceof SettingsProblems)
    return error.problems.map(({ path, message }) => `${path} ${message}`)
  }
  return []
}

test('35.1, 35.2 receivers, secrets and events are lists with commas between them', () => {
  const values = {
    'ig.webhooks.urls': 'https://A.example/x, https://b.example',
    'ig.webhooks.secret': secret,
    'ig.webhooks.events': 'storeAway, limitReached',
    'ig.webhooks.origins': 'https://10.0.0.7',
  }
  assert.deepEqual(read(values), {
    urls: ['https://a.example/x', 'https://b.example/'],
    secrets: [Buffer.from('ABC'.repeat(8))],
    events: new Set(['storeAway', 'limitReached']),
    origins: ['https://10.0.0.7'],
  })
  assert.match(
    problemsOf({ 'ig.webhooks.events': 'storeAway, nothing' })[0] ?? '',
    /^ig\.webhooks\.events must be names of the events of specification 35\.1/,
  )
})

test('35.2 receivers are https URLs, and need a secret; neither is repeated in an error', () => {
  const urls = [
    'http://a.example/secret',
    'https://secret@a.example',
    'https://a.example/secret, https://a.example/secret',
  ]
  for (const url of urls) {
    const [problem = ''] = problemsOf({ 'ig.webhooks.urls': url, 'ig.webhooks.secret': secret })
    assert.match(problem, /^ig\.webhooks\.urls must be different https URLs .* at most 10, not "\*\*\*" \(/)
  }
  for (const wrong of ['whsec_c2hvcnQ=', 'secret-secret-secret-secret-secret', `whsec_${'QUJD'.repeat(22)}`]) {
    const [problem = ''] = problemsOf({ 'ig.webhooks.secret': wrong })
    assert.match(problem, /^ig\.webhooks\.secret must be whsec_ and 24 to 64 bytes in base64, .*, not "\*\*\*" \(/)
  }
  assert.deepEqual(problemsOf({ 'ig.webhooks.urls': 'https://a.example' }), [
    'ig.webhooks.secret is missing: it signs what ig.webhooks.urls receive',
  ])
})
