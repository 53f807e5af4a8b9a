/** Actions by `ig`: over the project's database, and by the administration of a running gateway (specification 31.1). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { inviteActions } from '../../src/admin/routes/invite.ts'
import { routes } from '../../src/admin/routes/routes.ts'
import { openProgram } from '../../src/cli/main.ts'
import { verbs } from '../../src/cli/verbs.ts'
import { listCommands, pathOf } from '../../src/terminal/commands.ts'
import { openTestAdmin } from '../support/admin.ts'
import { copyReference, ig, root } from '../support/cli.ts'
import { forEachDatabase } from '../support/databases.ts'

/** Arguments that every action takes, in this order, on a new copy of the reference project; # is 1 here and 2 there. */
const samples: Readonly<Record<string, readonly string[]>> = {
  'webhook list': [],
  'webhook test': [],
  'shadow list': [],
  'shadow forget': ['ECHO_GET.v1', '--yes'],
  'revision list': [],
  'revision show': ['1'],
  'revision list-activations': [],
  'audit list': ['--action', 'createToken'],
  'audit show': ['1'],
  'job list': [],
  'job run': ['NIGHTLY'],
  'session-token list-keys': [],
  'session-token rotate': [],
  'session-token revoke-key': ['none', '--yes'],
  'session-token revoke': ['DEMO', '--yes'],
  'session-token revoke-token': ['Rk3yV5s0qT1wZ8b#'],
  'session-token create': ['DEMO'],
  'limit list': [],
  'limit lift': ['LIMIT'],
  'call export': [],
  'change list': [],
  'cache list': [],
  'cache clear': ['CACHED_TIME_GET.v1'],
  'operator list': [],
  'operator show': ['DEMO'],
  'operator add': ['NEW#', '--no-password', '--email', 'home:new@example.com', '--permission-list', 'PUBLIC'],
  'operator set': ['KIM#', '--certificate', 'subject: CN=kim; issuer: CN=ca'],
  'operator set-password': ['KIM#', '--password-stdin'],
  'operator grant': ['KIM#', 'PUBLIC'],
  'operator revoke': ['KIM#', 'PUBLIC'],
  'operator import': ['operators#.csv'],
  'operator export': [],
  'operator holders': ['PUBLIC'],
  'operator set-holders': ['PUBLIC', 'holders.txt', '--dry-run'],
  'administrator list': [],
  'administrator show': ['an viewer'],
  'administrator add': ['BOSS#', '--password-stdin'],
  'administrator set': ['an viewer', '--role', 'operator'],
  'administrator lock': ['an viewer'],
  'administrator unlock': ['an viewer'],
  'administrator invite': ['--out', '-'],
  'administrator set-password': ['an viewer', '--password-stdin'],
  'administrator reset-factors': ['an viewer', '--yes'],
  'operator lock': ['KIM#'],
  'operator unlock': ['KIM#'],
  'operator delete': ['TEMP#', '--yes'],
  'token list': [],
  'token create': ['an viewer', '--role', 'viewer', '--out', '-'],
  'token revoke': ['TOKEN#', '--yes'],
  'alert list': [],
  'alert silence': ['GatewaySlow:ECHO_GET.v1', '--until', '2026-12-01T08:00:00Z'],
  'alert unsilence': ['GatewaySlow:ECHO_GET.v1'],
  'cache delete': ['CACHED_TIME_GET.v1', '/'],
}

const copyWithFiles = () => {
  const file = 'gateway.config.ts'
  const job = "jobs: [{ name: 'NIGHTLY', at: '0 3 * * *', handler: 'handlers/nightly.ts' }],"
  const text = readFileSync(join(root, 'examples/reference', file), 'utf8')
  return copyReference({
    [file]: text.replace('  permissionLists: [', `  ${job}\n$&`),
    ...Object.fromEntries(['1', '2', '#'].map((number) => [`operators${number}.csv`, `id\nFROM_FILE${number}\n`])),
    'holders.txt': 'DEMO\n',
    'handlers/nightly.ts': 'export default class Nightly {\n  run() {}\n}\n',
  })
}

const password = 'a long sentence is a good one'
const offered = [...routes, ...inviteActions].flatMap((route) =>
  route.commandLine ? [{ ...route, ...route.commandLine }] : [],
)

test('31.1 every action that ig offers is tried both ways, under a verb of its own', () => {
  const verbs = offered.map(({ verb }) => verb)
  assert.deepEqual(verbs.toSorted(), Object.keys(samples).toSorted())
  for (const verb of verbs) assert.match(verb, /^[a-z]+(?:-[a-z]+)? [a-z]+(?:-[a-z]+)*$/)
})

test('31.1 every argument and option has a text in the help, and the values of an option that has no others', async () => {
  const program = await openProgram(process, Object.keys(verbs))
  for (const { verb } of offered) {
    const command = listCommands(program).find((each) => pathOf(each) === `ig ${verb}`)
    assert.ok(command, verb)
    for (const argument of command.registeredArguments)
      assert.match(argument.description, /^\S/, `${verb} ${argument.name()}`)
    for (const { flags, description } of command.options) {
      assert.match(description, /^(?![A-Z][a-z ])\S.*[^.]$/, `${verb} ${flags}`)
      assert.doesNotMatch(description, /true, false/, `${verb} ${flags}`)
    }
  }
  assert.match(
    (await ig(['operator', 'export', '--help'])).stdout,
    /--format <value> +by default.*\n? *\(choices: "csv",\s+"json"\)/,
  )
  assert.match(
    (await ig(['operator', 'import', '--help'])).stdout,
    /file +a file of operators, CSV or JSON; - is standard\s+input/,
  )
})

forEachDatabase((database) => {
  test(`31.1, 31.10 an action answers with the same JSON, words, exit code and audit entry, whose subject is the first argument, over the database and by a running gateway (${database.name})`, async (t) => {
    const folder = copyWithFiles()
    const properties = {
      'ig.monitor': 'on',
      'ig.webhooks.urls': 'https://receiver.invalid',
      'ig.webhooks.secret': `whsec_${Buffer.alloc(32).toString('base64')}`,
    }
    const plane = await openTestAdmin(t, { database, folder, properties })
    const { body } = await plane.ask('POST /api/tokens', { body: { name: 'ci', role: 'administrator' } })
    for (const id of ['KIM1', 'KIM2', 'TEMP1', 'TEMP2']) await plane.ask('POST /api/operators', { body: { id } })
    const { tokens } = plane.opened.gateway.store.administration
    const token = { name: 'nightly', role: 'viewer', administrator: 'an viewer', created: 0, expires: 1 }
    for (const id of ['TOKEN1', 'TOKEN2']) await tokens.add({ ...token, id, digest: id }, undefined)
    const env = {
      IG_ADMIN_TOKEN: String(body.token),
      IG_DATABASE: plane.opened.gateway.settings.database,
      IG_MONITOR: 'on',
      IG_WEBHOOKS_URLS: properties['ig.webhooks.urls'],
      IG_WEBHOOKS_SECRET: properties['ig.webhooks.secret'],
    }
    const entries = async (action: string) => {
      const { items } = (await plane.ask(`GET /api/audit?action=${action}&limit=2`)).body
      return items.map(({ subject, before, after }: Readonly<Record<string, unknown>>) => ({ subject, before, after }))
    }
    const varying =
      /(?:FROM_FILE|KIM|NEW|TEMP|TOKEN)\d|sha256:[\da-f]+|evt_[\w-]+|\d{4}-\d\d-\d\dT[\d:.]+Z|(?<="(?:id|token|tokenId|publicKey)": ?")[\w.+/=-]+|(?<="subject": ")[\w-]{16}(?=")/g
    const mask = (value: unknown) =>
      JSON.stringify(value)
        ?.replaceAll('\\"', '"')
        .replaceAll(/":"/g, '": "')
        .replace(/,\\n {2}"requestId": "[\da-f-]{36}"/, '') // which only a gateway has
        .replace(varying, '…')
    for (const { verb, operationId, method, needsSession, streams, args: names = [], inputs = {} } of offered) {
      const argsOf = (number: number) => (samples[verb] ?? []).map((each) => each.replace('#', String(number)))
      const run = async (number: number, ...more: readonly string[]) => {
        const { code, stdout, stderr } = await ig(
          [...verb.split(' '), ...argsOf(number), ...(streams ? [] : ['--json']), ...more],
          {
            ...{ cwd: folder, env, input: password },
          },
        )
        return mask({ code, stdout, stderr })
      }
      if (needsSession) {
        assert.match(await run(1, '--url', plane.admin.url), /"code":2.*unknown option '--url'/, verb)
        continue
      }
      assert.equal(await run(1), await run(2, '--url', plane.admin.url), verb)
      if (method === 'GET') continue
      const made = await entries(operationId)
      const [one, other] = made.map(mask)
      assert.equal(one, other, verb)
      const [named] = names as readonly string[]
      const { reads } = (inputs as Readonly<Record<string, { readonly reads?: string }>>)[named ?? ''] ?? {}
      if (named !== undefined && reads === undefined && made.length > 0)
        assert.ok(made[0].subject.startsWith(argsOf(2)[0]), `${verb}: ${made[0].subject}`)
    }
  })
})

test('31.1, 31.3 an answer that the API does not give, an author and names that are places in a URL are refused', async (t) => {
  let answer = '{}'
  const server = createServer((_, response) => response.setHeader('content-type', 'application/json').end(answer))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const run = (...args: readonly string[]) =>
    ig([...args, '--url', url], { cwd: copyWithFiles(), env: { IG_ADMIN_TOKEN: 'token' }, input: password })
  for (answer of ['{}', '[]', 'null', '"x"', '{"items":null}', '{"items":[1]}'])
    for (const { verb } of offered.filter(({ needsSession }) => !needsSession)) {
      const { code, stdout, stderr } = await run(...verb.split(' '), ...(samples[verb] ?? []))
      assert.deepEqual([verb, code, stdout], [verb, 1, ''])
      assert.match(stderr, /answers with something else than \w+ does here: it is no administration of a gateway/)
    }
  assert.match((await run('cache', 'clear', 'X_GET.v1', '--as', 'kim')).stderr, /--as is for the database/)
  const withPassword = await ig(['operator', 'list', '--url', 'http://kim:hidden@127.0.0.1:1'])
  assert.match(withPassword.stderr, /^ig: --url must be the address of an administration/)
  assert.doesNotMatch(withPassword.stderr, /hidden/)
  for (const name of ['.', '..', '\ud800'])
    assert.match((await run('cache', 'clear', name)).stderr, /nothing is called "/)
})
