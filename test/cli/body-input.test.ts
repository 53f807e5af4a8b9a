/** `--input` of the verbs that are actions with a body (specification 31.11). */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { inviteActions } from '../../src/admin/routes/invite.ts'
import { routes } from '../../src/admin/routes/routes.ts'
import { openTestAdmin } from '../support/admin.ts'
import { copyReference, ig } from '../support/cli.ts'
import { findDatabase } from '../support/databases.ts'

const withBody = [...routes, ...inviteActions].flatMap(({ commandLine, body, path }) =>
  commandLine && body ? [{ ...commandLine, params: [...path.matchAll(/:\w+/g)].map(() => 'X') }] : [],
)

async function open(t: Parameters<typeof openTestAdmin>[0]) {
  const folder = copyReference()
  const plane = await openTestAdmin(t, { database: findDatabase('SQLite'), folder })
  const { body } = await plane.ask('POST /api/tokens', { body: { name: 'ci', role: 'administrator' } })
  const env = { IG_ADMIN_TOKEN: String(body.token), IG_DATABASE: plane.opened.gateway.settings.database }
  const run = (line: string, input: string | object = '', ...more: readonly string[]) =>
    ig([...line.split(' '), ...more], {
      ...{ cwd: folder, env, input: typeof input === 'string' ? input : JSON.stringify(input) },
    })
  return { ...plane, folder, run, remote: ['--url', plane.admin.url] as const }
}

test('31.11 --input is the body of an action, from a file or standard input, on both planes', async (t) => {
  const { ask, folder, run, remote } = await open(t)
  const operator = { id: 'NEW1', emails: [{ type: 'home', address: 'new@example.com', isPrimary: true }] }
  const local = await run('operator add --input - --json', operator)
  const other = await run('operator add --input - --json', { ...operator, id: 'NEW2' }, ...remote)
  assert.deepEqual([local.code, local.stdout.replace('NEW1', 'NEW2'), local.stderr], [0, other.stdout, other.stderr])
  assert.deepEqual((await ask('GET /api/operators/NEW1')).body.emails, operator.emails)
  writeFileSync(join(folder, 'change.json'), JSON.stringify({ description: 'from a file' }))
  assert.equal((await run('operator set NEW1 --input change.json')).code, 0)
  assert.equal((await ask('GET /api/operators/NEW1')).body.description, 'from a file')
  assert.equal((await run('administrator set', { role: 'operator' }, 'an viewer', '--input', '-')).code, 0)
  assert.equal((await ask('GET /api/administrators/an%20viewer')).body.role, 'operator')
  const person = { name: 'sam', role: 'viewer', password: 'a long sentence is a good one' }
  assert.equal((await run('administrator add --input -', person)).stdout, 'sam is added with the role viewer.\n')
})

test('31.11 an input that cannot be the body is refused with exit code 2 on both planes, and nothing is done', async (t) => {
  const { ask, folder, run, remote } = await open(t)
  writeFileSync(join(folder, 'large.json'), `{"id":"NEW","description":"${'x'.repeat(1024 ** 2)}"}`)
  writeFileSync(join(folder, 'latin.json'), Buffer.from('{"id":"NEW","description":"\xe9"}', 'latin1'))
  const refused: readonly (readonly [line: string, input: string, says: RegExp])[] = [
    ['--input large.json', '', /error: large\.json has more than 1048576 bytes\./],
    ['--input -', `"${'x'.repeat(1024 ** 2)}"`, /error: standard input has more than 1048576 bytes\./],
    ['--input -', '', /error: standard input is not JSON in UTF-8\./],
    ['--input -', '{"password": "a secret"', /error: standard input is not JSON in UTF-8\.\n(?!.*secret)/],
    ['--input latin.json', '', /error: latin\.json is not JSON in UTF-8\./],
    ['--input none.json', '', /error: none\.json cannot be read: ENOENT/],
    ['--input=', '', /error: --input cannot be read: ENOENT/],
    ...['null', '[]', '"NEW"', '1'].map(
      (text) => ['--input -', text, /error: standard input is not a JSON object\./] as const,
    ),
    [
      '--input -',
      '{"id":"NEW","pasword":"x","emals":1}',
      /pasword is not a known field; did you mean password\?\n.*emals is not a known field; did you mean emails\?/,
    ],
    [
      '--input -',
      '{"id":"NEW","emails":[{"type":"home","adress":"a@b.c","isPrimary":true}]}',
      /emails\[0\]\.adress is not a known field; did you mean address\?/,
    ],
    ['--input -', '{"id":"NEW","__proto__":{}}', /__proto__ is not a known field/],
    ['--input -', '{}', /id is missing/],
    ['--input -', `{"id":${'['.repeat(300_000)}${']'.repeat(300_000)}}`, /standard input has more than 200 levels\./],
    ['NEW --input -', '{"id":"NEW"}', /error: --input has the whole body: leave out <id>\./],
    ['--email a@b.c --no-password --input -', '{"id":"NEW"}', /leave out --no-password, --email <\[type:\]address>\./],
  ]
  for (const [line, input, says] of refused)
    for (const more of [[], remote]) {
      const { code, stdout, stderr } = await run(`operator add ${line}`, input, ...more)
      assert.deepEqual([line, input.slice(0, 80), code, stdout], [line, input.slice(0, 80), 2, ''])
      assert.match(stderr, says)
    }
  assert.equal((await ask('GET /api/operators/NEW')).status, 404)
  assert.match((await run('operator add')).stderr, /missing required argument 'id'/)
})

test('31.11 every verb of an action with a body takes --input', async (t) => {
  const { run } = await open(t)
  assert.ok(withBody.length > 8)
  for (const { verb, params } of withBody) {
    const { code, stderr } = await run(`${verb} --input -`, { nothing_is_called_so: 1 }, ...params)
    assert.equal(code, 2, verb)
    assert.match(stderr, /^ig: the input has .*\n(?:.*\n)* {2}nothing_is_called_so is not a known field/, verb)
  }
})
