/** Webhooks of several processes on one database, with a real receiver (specification 35.2 to 35.8). */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { delays, openWebhooks, type WebhookOptions } from '../../../src/features/webhooks/open-webhooks.ts'
import { openWebhookRows } from '../../../src/features/webhooks/rows.ts'
import { isEvent, selectData } from '../../../src/features/webhooks/write-deliveries.ts'
import type { Event } from '../../../src/model/observation.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { findDatabase, forEachDatabase, runOutside, type TestDatabase } from '../../support/databases.ts'
import { poll } from '../../support/poll.ts'

const pair = makeCertificate()
setDefaultCACertificates([...getCACertificates('default'), pair.cert])
const secrets = [Buffer.from('the new secret of 24 bytes'), Buffer.from('the old secret of 24 bytes')]

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly target: string
}

/** @param answer by default 204 */
async function openReceiver(t: TestContext, answer = (response: ServerResponse) => void response.writeHead(204).end()) {
  const received: Received[] = []
  const server = createServer(pair, async (request, response) => {
    received.push({ headers: request.headers, body: await text(request), target: request.url ?? '' })
    answer(response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { received, origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

interface Options extends Partial<Omit<WebhookOptions, 'settings'>> {
  readonly urls: readonly string[]
  readonly origins?: readonly string[]
  readonly events?: WebhookOptions['settings']['events']
}

/** Processes on one database. */
async function openProcesses(t: TestContext, database: TestDatabase, { urls, origins, events, ...options }: Options) {
  const { url, remove } = await database.open()
  t.after(remove)
  const reported: Event[] = []
  const settings = { urls, secrets, events, origins: origins ?? urls.map((each) => new URL(each).origin) }
  return {
    url,
    reported,
    async open() {
      const opened = await openStore(url)
      const webhooks = openWebhooks({ settings, now: Date.now, every: 1_000_000, ...options })
      const store = openWebhookRows(opened.databases)
      webhooks.follow(store, (event) => void (event.kind === 'event' && reported.push(event)))
      t.after(async () => {
        await webhooks.close()
        await opened.close()
      })
      return { store, webhooks }
    },
    /** What waits is due now. */
    hurry: () => runOutside(cacheOf(url), 'update ig_webhook set next = 0 where ended is null'),
  }
}

/** The file that has the rows. */
function cacheOf(url: string): string {
  return url.startsWith('postgres') ? url : url.replace(/\.sqlite$/, '-cache.sqlite')
}

const limitReached: Event = {
  kind: 'event',
  level: 'warning',
  name: 'limitReached',
  message: 'The limit operator refused 3 calls in the last minute.',
  detail: { limit: 'operator', count: 3, secret: 'never sent' },
}

forEachDatabase((database) => {
  const on = `(${database.name})`

  test(`35.4, 35.5, 35.6 one of two processes sends an event, signed as Standard Webhooks states, with its name, ids and counts ${on}`, async (t) => {
    const { received, origin } = await openReceiver(t)
    const { open } = await openProcesses(t, database, { urls: [`${origin}/in?key=k`] })
    const [one, other] = [await open(), await open()]
    one.webhooks.observe(limitReached)
    one.webhooks.observe({ ...limitReached, name: 'somethingElse' })
    await one.webhooks.poll()
    await Promise.all([one.webhooks.poll(), other.webhooks.poll()])
    const [only, ...more] = received
    assert.ok(only)
    assert.equal(more.length, 0)
    const { type, timestamp, data } = JSON.parse(only.body)
    assert.deepEqual(
      [only.target, type, Object.keys(data)],
      ['/in?key=k', 'limitReached', ['limit', 'count', 'process']],
    )
    assert.deepEqual([data.limit, data.count], ['operator', 3])
    assert.ok(Math.abs(Date.parse(timestamp) - Date.now()) < 60_000)
    const { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signature } = only.headers
    const sign = (secret: Buffer) =>
      createHmac('sha256', secret).update(`${id}.${seconds}.${only.body}`).digest('base64')
    assert.equal(signature, secrets.map((secret) => `v1,${sign(secret)}`).join(' '))
    const [row] = await other.store.list(10)
    assert.deepEqual([row?.id, row?.outcome, row?.attempts, await one.store.waiting()], [id, 'delivered', 1, 0])
  })

  test(`35.6 an attempt of a process that was killed is made again by another one, with the same id ${on}`, async (t) => {
    const { received, origin } = await openReceiver(t)
    const { open, hurry, url } = await openProcesses(t, database, { urls: [`${origin}/`] })
    const [killed, other] = [await open(), await open()]
    killed.webhooks.observe(limitReached)
    await killed.webhooks.poll()
    const id = received[0]?.headers['webhook-id']
    // As if it had been killed between the answer and its note
    await runOutside(cacheOf(url), 'update ig_webhook set ended = null, outcome = null')
    await other.webhooks.poll()
    assert.equal(received.length, 1, 'not before the next attempt is due')
    await hurry()
    await other.webhooks.poll()
    assert.deepEqual(
      received.map(({ headers }) => headers['webhook-id']),
      [id, id],
    )
  })

  test(`35.5, 35.7 a refused event is sent again after longer and longer times, then given up and reported ${on}`, async (t) => {
    const { received, origin } = await openReceiver(
      t,
      (response) => void response.writeHead(302, { location: '/elsewhere' }).end(),
    )
    const { open, hurry, reported } = await openProcesses(t, database, { urls: [`${origin}/`] })
    const { webhooks, store } = await open()
    webhooks.observe(limitReached)
    for (let attempt = 1; attempt <= delays.length + 1; attempt += 1) {
      const before = Date.now()
      await webhooks.poll()
      const [row] = await store.list(1)
      assert.deepEqual([row?.attempts, row?.reason], [attempt, 'status 302'])
      const delay = delays[attempt - 1]
      if (delay !== undefined) assert.ok((row?.next ?? 0) >= before + delay - 1000)
      await hurry()
    }
    await webhooks.poll()
    const [row] = await store.list(1)
    assert.deepEqual([row?.outcome, received.length], ['givenUp', delays.length + 1])
    assert.deepEqual(
      received.map(({ target }) => target),
      received.map(() => '/'),
    )
    assert.deepEqual(
      reported.map(({ name }) => name),
      ['webhookGivenUp'],
    )
    assert.deepEqual(webhooks.counts, { delivered: 0, failed: 8, givenUp: 1, lost: 0 })
  })

  test(`35.8 more than 10,000 waiting events are not stored, which is reported ${on}`, async (t) => {
    const { origin } = await openReceiver(t)
    const { open, reported, url } = await openProcesses(t, database, {
      urls: [`${origin}/`],
      events: new Set(['limitReached']),
    })
    const { webhooks, store } = await open()
    const rows = Array.from({ length: 500 }, (_, at) => ({
      id: `evt_${at}`,
      receiver: 'other',
      name: 'limitReached',
      body: '{}',
    }))
    for (let turn = 0; turn < 20; turn += 1) await store.add(rows.map((row) => ({ ...row, id: `${row.id}_${turn}` })))
    assert.equal(await store.waiting(), 10_000)
    webhooks.observe(limitReached)
    webhooks.observe({ ...limitReached, name: 'storeAway' })
    await webhooks.poll()
    assert.deepEqual(
      reported.map(({ name, detail }) => [name, detail]),
      [['webhooksLost', { count: 1 }]],
    )
    await runOutside(cacheOf(url), 'update ig_webhook set next = 0')
    await store.prune()
    assert.equal(await store.waiting(), 0)
  })
})

const sqlite = findDatabase('SQLite')

test('35.3 a receiver that hangs, or answers without end, does not delay others, and is asked again', async (t) => {
  const end = new AbortController() // of the time of all attempts
  const timeout = AbortSignal.timeout
  t.mock.method(AbortSignal, 'timeout', (limit: number) => (limit === 5_000 ? end.signal : timeout(limit)))
  const hanging = await openReceiver(t, (response) => void (response.req.url === '/good' && response.end()))
  const endless = await openReceiver(t, (response) => {
    response.writeHead(200)
    const more = () => {
      while (response.write('x'.repeat(65_536)));
    }
    response.on('drain', more).on('error', () => {})
    more()
  })
  const urls = [`${hanging.origin}/`, `${endless.origin}/`, `${hanging.origin}/good`]
  const { open } = await openProcesses(t, sqlite, { urls })
  const { webhooks, store } = await open()
  for (let count = 0; count < 9; count += 1) webhooks.observe(limitReached)
  const looked = webhooks.poll()
  const delivered = async () => (await store.list(30)).filter(({ outcome }) => outcome === 'delivered')
  await poll(async () => hanging.received.length === 13 && (await delivered()).length === 18)
  end.abort()
  await looked
  const good = hanging.received.filter(({ target }) => target === '/good')
  assert.equal(good.length, 9, 'what waits for the others takes no place')
  const rows = await store.list(30)
  const ended = rows.map(({ outcome, reason }) => outcome ?? reason ?? 'waiting').toSorted()
  const times = (count: number, text: string) => Array.from({ length: count }, () => text)
  const unanswered = times(4, 'no answer within 5 s')
  assert.deepEqual(ended, [...times(18, 'delivered'), ...unanswered, ...times(5, 'waiting')])
})

test('35.3 an address that is private, loopback or link-local is refused when it is connected to, unless its origin is named', async (t) => {
  const { received, origin } = await openReceiver(t)
  const { port } = new URL(origin)
  const addresses: Record<string, string> = { 'rebound.example': '127.0.0.1', 'cloud.example': '169.254.169.254' }
  const resolveName = ((name: string, _: object, done: (error: null, found: object[]) => void) =>
    done(null, [{ address: addresses[name], family: 4 }])) as unknown as NonNullable<WebhookOptions['resolveName']>
  const named = `https://cloud.example:${port}`
  const urls = [
    `https://rebound.example:${port}/`,
    `https://127.0.0.1:${port}/`,
    `https://[::ffff:10.0.0.1]/`,
    'https://[64:ff9b:1:abcd::a00:1]/',
    `${named}/`,
  ]
  const { open } = await openProcesses(t, sqlite, { urls, origins: [named], resolveName })
  const { webhooks, store } = await open()
  webhooks.observe(limitReached)
  await webhooks.poll()
  const reasons = (await store.list(10)).map(({ reason }) => reason ?? '')
  const allowable = reasons.filter((reason) => /^its address is refused: ig\.webhooks\.origins can allow/.test(reason))
  const never = reasons.filter((reason) => /^its address is refused: it is link-local or unspecified/.test(reason))
  assert.deepEqual([reasons.length, allowable.length, never.length], [5, 4, 1])
  assert.equal(received.length, 0)
})

test('35.3 a certificate that is not trusted is refused', async (t) => {
  const { origin } = await openReceiver(t)
  const urls = [`${origin.replace('127.0.0.1', '127.0.0.2')}/`]
  const { open } = await openProcesses(t, sqlite, { urls })
  const { webhooks, store } = await open()
  webhooks.observe(limitReached)
  await webhooks.poll()
  const [row] = await store.list(1)
  assert.match(row?.reason ?? '', /^it could not be called \(/)
})

test('35.5 events of a time without the store are stored when it answers', async (t) => {
  const { received, origin } = await openReceiver(t)
  const { open } = await openProcesses(t, sqlite, { urls: [`${origin}/`] })
  const { store } = await open()
  let isAway = true
  const add: typeof store.add = (rows) => (isAway ? Promise.reject(new Error('away')) : store.add(rows))
  const settings = { urls: [`${origin}/`], secrets, events: undefined, origins: [origin] }
  const webhooks = openWebhooks({ settings, now: Date.now, every: 1_000_000 })
  t.after(webhooks.close)
  webhooks.follow({ ...store, add }, () => {})
  webhooks.observe({ kind: 'event', level: 'error', name: 'storeAway', message: 'away' })
  await webhooks.poll()
  assert.equal(received.length, 0)
  isAway = false
  await webhooks.poll()
  assert.equal(JSON.parse(received[0]?.body ?? '{}').type, 'storeAway')
})

test('35.1 of an event only the members of its row are sent', () => {
  const detail = { limit: 'operator', count: 3, address: '192.0.2.1', reason: { text: 'secret' } }
  assert.deepEqual(selectData('limitReached', detail), { limit: 'operator', count: 3 })
  assert.deepEqual(selectData('storeAway', detail), {})
  assert.deepEqual(selectData('limitReached', { limit: { name: 'x' } }), {})
  assert.deepEqual([isEvent('storeAway'), isEvent('toString')], [true, false])
})
