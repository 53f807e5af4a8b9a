/** Who is limited now: administration API, command line, console, Try it, metrics (specification 25.10 to 25.12). */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { limit } from '../../../src/configuration/limit-schema.ts'
import { openLimitRows } from '../../../src/features/limits/rows.ts'
import { openTestAdmin } from '../../support/admin.ts'
import { findViolations, openBrowser, openPage, openPageOf, signIn } from '../../support/browser.ts'
import { basic, send } from '../../support/client.ts'
import { findDatabase } from '../../support/databases.ts'
import { referenceFolder, root } from '../../support/gateway.ts'
import { poll } from '../../support/poll.ts'
import { runVerb } from '../../support/run-verb.ts'
import { parseScrape, sumOf } from '../../support/scrape.ts'

const limits = [
  limit.parse({ name: 'operator', by: ['operator'], calls: 24, per: '24h', burst: 2, exceptOperators: ['DEMO2'] }),
  limit.parse({ name: 'address', by: ['address'], calls: 1000, per: '1s', services: ['REFERENCE'] }),
  limit.parse({ name: 'places', by: ['operation'], concurrency: 4, queue: 9, operations: ['METADATA_BASIC_GET.v1'] }),
]

/** DEMO has spent everything, and the database knows. */
async function openLimited(t: TestContext) {
  const opened = await openTestAdmin(t, {
    database: findDatabase('SQLite'),
    configure: (configuration) => ({
      ...configuration,
      operations: configuration.operations.map((each) =>
        each.name === 'METADATA_OAUTH2' ? { ...each, verification: 'OAuth2SSL' } : each,
      ),
      limits,
    }),
  })
  const call = async (id = 'DEMO') =>
    (await send(opened.opened.url, `GET ${root}/METADATA_BASIC.v1/`, { headers: basic(id) })).status
  assert.deepEqual([await call(), await call(), await call(), await call('DEMO2')], [200, 200, 429, 200])
  const { store } = opened.opened.gateway
  await poll(async () => (await openLimitRows(store.databases).list(10)).some(({ refused }) => refused !== null))
  const env = { ...process.env, IG_DATABASE: opened.opened.gateway.settings.database }
  const ig = (...args: readonly string[]) => runVerb(args, { cwd: referenceFolder, env, input: '' })
  return { ...opened, call, ig }
}

test('25.10, 25.12 the administration API lists who is limited, and an administrator lifts it everywhere', async (t) => {
  const { ask, call } = await openLimited(t)
  const scrape = async () => parseScrape((await ask('GET /metrics')).body)
  const { body } = await ask('GET /api/limited', { as: 'viewer' })
  assert.deepEqual(
    body.items.map(({ limit, subject }: Record<string, string>) => [limit, subject]),
    [['operator', 'DEMO']],
  )
  assert.ok(Date.parse(body.items[0].resets) > Date.now() && Date.parse(body.items[0].refused) <= Date.now())
  assert.equal(sumOf(await scrape(), 'ig_limited_total', { limit: 'operator' }), 1)
  assert.equal(sumOf(await scrape(), 'ig_limited_total', { limit: 'address' }), 0)
  assert.equal((await ask('DELETE /api/limited/operator?subject=DEMO', { as: 'operator' })).status, 403)
  assert.equal((await ask('DELETE /api/limited/operator?subject=NOPERM')).status, 404)
  assert.equal((await ask('DELETE /api/limited/operator?subject=DEMO')).status, 204)
  const audit = await ask('GET /api/audit?limit=1')
  assert.deepEqual([audit.body.items[0].action, audit.body.items[0].subject], ['liftLimit', 'operator: DEMO'])
  await poll(async () => (await call()) === 200)
})

test('25.10 ig limit lists who is limited, and lifts it', async (t) => {
  const { ig, call } = await openLimited(t)
  const { stdout } = await ig('limit', 'list')
  assert.match(stdout, /^LIMIT +SUBJECT +RESETS +LAST REFUSED\noperator +DEMO +\d{4}-\S+Z +\d{4}-\S+Z\n$/)
  const [row] = JSON.parse((await ig('limit', 'list', '--json')).stdout).items
  assert.deepEqual([row.limit, row.subject, Date.parse(row.resets) > Date.now()], ['operator', 'DEMO', true])
  const wrong = await ig('limit', 'lift', 'operator', 'DEMO2')
  assert.equal(wrong.code, 1)
  assert.match(wrong.stderr, /Nothing of the limit operator is used by DEMO2\./)
  assert.match(
    (await ig('limit', 'lift', 'oprator', 'DEMO')).stderr,
    /There is no limit oprator; did you mean operator\?/,
  )
  assert.match((await ig('limit', 'lift', 'operator')).stderr, /counts by operator: add the subject that the list has/)
  assert.match((await ig('limit', 'lift', 'operator', 'DEMO')).stdout, /operator: DEMO is lifted/)
  await poll(async () => (await call()) === 200)
})

test('25.11 ig explain reports each limit of a call with its remainder, without counting the call', async (t) => {
  const { ig } = await openLimited(t)
  for (const _ of [1, 2]) {
    const { stdout } = await ig('explain', 'GET /METADATA_BASIC.v1/', '--as', 'NOPERM', '--revision', 'active')
    assert.match(stdout, /address of \S+ \(1000 calls in 1 s\): \d+ left/)
    assert.match(
      stdout,
      /operator of NOPERM \(24 calls in 86400 s\): 2 left\n.*places of METADATA_BASIC_GET\.v1 \(4 at a time\)/,
    )
  }
  const { stdout } = await ig('explain', 'GET /METADATA_BASIC.v1/', '--as', 'DEMO2', '--revision', 'active')
  assert.match(stdout, /operator does not apply/)
})

test('25.11 Try it reports what the limits of a call have left, and which one refuses it', async (t) => {
  const { ask } = await openLimited(t)
  const tryAs = async (operator: string, path = '/METADATA_BASIC.v1/') => {
    const { body } = await ask('POST /api/try', { body: { method: 'GET', path, operator } })
    return body.decisions.filter(({ step }: { step: string }) => step === 'limits')
  }
  const [operator] = await tryAs('DEMO')
  assert.deepEqual([operator.outcome, operator.refusal], ['refused', 'rateLimited'])
  assert.match(operator.text, /^limited by operator of DEMO \(24 calls in 86400 s\), resets in 3\d\d\d s$/)
  assert.match((await tryAs('DEMO2'))[0].details[0], /^address: \d+ left, all of it in 1 s$/)
  assert.match((await tryAs('NOPERM'))[0].details[0], /^operator: 1 left, all of it in \d+ s$/)
  assert.deepEqual(await tryAs('DEMO2', '/METADATA_OAUTH2.v1/'), []) // refused before: it is served over TLS only
})

test('25.10 the console shows who is limited, and an administrator lifts it', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin, call } = await openLimited(t)
  const { page, complaints } = await openPage(browser)
  await signIn(page, `${admin.url}/console/`, 'an administrator')
  await openPageOf(page, 'Limits', 'Limited callers')
  await page.getByRole('cell', { name: 'DEMO', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Lift operator for DEMO' }).click()
  const violations = await findViolations(page, 'limited')
  await page.getByRole('dialog').getByRole('button', { name: 'Lift' }).click()
  await page.getByText('The limit operator is lifted for DEMO.').waitFor()
  await poll(async () => (await call()) === 200)
  await openPageOf(page, 'Limits')
  await page.getByRole('cell', { name: '24 in 24h by operator' }).waitFor()
  await page.getByRole('link', { name: 'operator', exact: true }).click()
  assert.equal(await page.getByLabel('Burst').inputValue(), '2')
  assert.deepEqual([violations, complaints], [[], []])
})
