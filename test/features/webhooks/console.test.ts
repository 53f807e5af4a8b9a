/** Webhooks: administration API, command line, console, metrics, and the events of a running gateway (specification 35). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { open } from '../../../src/features/webhooks/open.ts'
import { openWebhooks, type Webhooks } from '../../../src/features/webhooks/open-webhooks.ts'
import { readReceivers } from '../../../src/features/webhooks/receivers.ts'
import { openWebhookRows } from '../../../src/features/webhooks/rows.ts'
import { openTestAdmin } from '../../support/admin.ts'
import { findViolations, openBrowser, openPage, openPageOf, signIn } from '../../support/browser.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { basic, send } from '../../support/client.ts'
import { findDatabase } from '../../support/databases.ts'
import { readTestSettings, referenceFolder, root } from '../../support/gateway.ts'
import { runVerb } from '../../support/run-verb.ts'

const pair = makeCertificate()
setDefaultCACertificates([...getCACertificates('default'), pair.cert])
const secret = `whsec_${Buffer.from('a secret of 24 bytes or more').toString('base64')}`

async function openWithReceiver(t: TestContext) {
  const received: { readonly type: string; readonly data: Record<string, unknown> }[] = []
  const server = createServer(pair, async (request, response) => {
    received.push(JSON.parse(await text(request)))
    response.writeHead(204).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const properties = {
    'ig.webhooks.urls': `${origin}/hooks/a-token-in-the-path`,
    'ig.webhooks.secret': secret,
    'ig.webhooks.origins': origin,
    'ig.webhooks.events': 'webhookTest, passwordsGuessed, signInsRefused',
  }
  let webhooks: Webhooks | undefined
  const opened = await openTestAdmin(t, {
    database: findDatabase('SQLite'),
    properties,
    features: {
      webhooks(context) {
        const settings = readReceivers(context.settings.webhooks)
        assert.ok(settings)
        webhooks = openWebhooks({ settings, now: Date.now, every: 1_000_000 })
        return { observe: webhooks.observe }
      },
    },
  })
  assert.ok(webhooks)
  webhooks.follow(openWebhookRows(opened.opened.gateway.store.databases), () => {})
  const { poll, close } = webhooks
  t.after(close)
  const { database } = opened.opened.gateway.settings
  const env = { ...process.env, IG_DATABASE: database, IG_WEBHOOKS_SECRET: secret }
  const ig = (...args: readonly string[]) =>
    runVerb(args, {
      cwd: referenceFolder,
      env: { ...env, IG_WEBHOOKS_URLS: properties['ig.webhooks.urls'] },
      input: '',
    })
  return { ...opened, received, origin, look: poll, ig }
}

test('35.11 the administration API and ig webhook list what was sent, by origin, and send an audited test', async (t) => {
  const { ask, received, origin, look, ig } = await openWithReceiver(t)
  const empty = await ask('GET /api/webhooks', { as: 'viewer' })
  assert.deepEqual(empty.body, { receivers: [origin], waiting: 0, items: [] })
  assert.equal((await ask('POST /api/webhooks/test', { as: 'operator' })).status, 403)
  const { status, body } = await ask('POST /api/webhooks/test')
  assert.equal(status, 200)
  await look()
  assert.deepEqual(
    received.map(({ type }) => type),
    ['webhookTest'],
  )
  const { items } = (await ask('GET /api/webhooks', { as: 'viewer' })).body
  assert.deepEqual(
    [items[0].id, items[0].state, items[0].receiver, items[0].attempts],
    [body.id, 'delivered', origin, 1],
  )
  const [entry] = (await ask('GET /api/audit?limit=1')).body.items
  assert.deepEqual([entry.action, entry.subject], ['testWebhooks', body.id])
  const tested = await ig('webhook', 'test')
  assert.match(tested.stdout, /^The test evt_\S+ is sent by a serving process within a second/)
  const { stdout } = await ig('webhook', 'list')
  assert.match(stdout, /^EVENT +RECEIVER +STATE +ATTEMPTS +CREATED +NEXT +REASON\nwebhookTest +https:\S+ +waiting +0 /)
  assert.doesNotMatch(stdout, /a-token-in-the-path/)
  assert.deepEqual(
    JSON.parse((await ig('webhook', 'list', '--json')).stdout).items.map(({ state }: { state: string }) => state),
    ['waiting', 'delivered'],
  )
  const { items: settings } = (await ask('GET /api/settings')).body
  const secretly = settings.filter(({ key }: { key: string }) => /^ig\.webhooks\.(?:urls|secret)$/.test(key))
  assert.deepEqual(
    secretly.map(({ value }: { value: string }) => value),
    ['***', '***'],
  )
})

test('35.12 ig_webhooks_total counts by fate', async (t) => {
  const settings = readTestSettings(referenceFolder, {
    'ig.webhooks.urls': 'https://a.example',
    'ig.webhooks.secret': secret,
  })
  const opened = await open({
    settings,
    worker: undefined,
    workers: 1,
    administers: true,
    servesCalls: true,
    runsJobs: false,
    isDevelopment: false,
    observe() {},
    reportCounts() {},
  })
  t.after(() => opened?.close?.())
  const fates = ['delivered', 'failed', 'givenUp', 'lost'].map((fate) => [`ig_webhooks_total{fate="${fate}"}`, 0])
  assert.deepEqual(opened?.counts?.(), Object.fromEntries(fates))
})

test('35.2 without receivers nothing is sent, and a test says what to set', async (t) => {
  const { ask } = await openTestAdmin(t, { database: findDatabase('SQLite') })
  assert.deepEqual((await ask('GET /api/webhooks')).body, { receivers: [], waiting: 0, items: [] })
  const { status, body } = await ask('POST /api/webhooks/test')
  assert.equal(status, 404)
  assert.match(body.detail, /ig\.webhooks\.urls is not set/)
  const { code, stderr } = await runVerb(['webhook', 'test'], { cwd: referenceFolder, env: process.env, input: '' })
  assert.deepEqual([code, /There is no receiver of webhooks: ig\.webhooks\.urls is not set/.test(stderr)], [1, true])
})

test('35.9 wrong passwords of callers and of administrators are counted', async (t) => {
  const { ask, opened, received, look, observations } = await openWithReceiver(t)
  const wrong = { ...basic('DEMO'), authorization: `Basic ${btoa('DEMO:wrong')}` }
  for (let call = 0; call < 6; call += 1)
    assert.equal((await send(opened.url, `GET ${root}/METADATA_BASIC.v1/`, { headers: wrong })).status, 401)
  assert.ok(observations.some((each) => each.kind === 'event' && each.name === 'passwordsGuessed'))
  const signIn = await ask('POST /api/session', { as: 'nobody', body: { name: 'nobody here', password: 'wrong' } })
  assert.equal(signIn.status, 401)
  await look()
  assert.deepEqual(received.map(({ type, data }) => [type, data.count]).toSorted(), [
    ['passwordsGuessed', 1],
    ['signInsRefused', 1],
  ])
})

test('35.11 the page Webhooks shows receivers and what was sent, and an administrator sends a test', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin, look, origin } = await openWithReceiver(t)
  const { page, complaints } = await openPage(browser)
  await signIn(page, `${admin.url}/console/`, 'an administrator')
  await openPageOf(page, 'Settings', 'Webhooks')
  await page.getByText(`Events are sent to ${origin}. 0 waiting.`).waitFor()
  await page.getByRole('button', { name: 'Send a test' }).click()
  await page.getByText('The test is sent within a second.').waitFor()
  await page.getByRole('cell', { name: 'waits' }).waitFor()
  await look()
  await page.getByRole('cell', { name: 'delivered' }).waitFor()
  assert.deepEqual([await findViolations(page, 'webhooks'), complaints], [[], []])
})
