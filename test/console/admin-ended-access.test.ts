/** Requests in progress when a person's password, role or lock changes (specification 18.7, 18.11, 18.12). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openTestAdmin, password, type TestAdmin } from '../support/admin.ts'
import { findDatabase } from '../support/databases.ts'
import { patience, scaled } from '../support/patience.ts'

const database = findDatabase('SQLite')
const newPassword = 'quite another one'
const setPassword = (it: TestAdmin) =>
  it.ask('PUT /api/administrators/an%20viewer/password', { body: { password: newPassword } })

/** The head and the first byte of the body come at once, the rest when `finish` is called. */
async function askSlowly(it: TestAdmin, line: string, body: unknown) {
  const { host, port } = new URL(it.admin.url)
  const headers = Object.entries({
    ...(await it.sessionOf('viewer')),
    host,
    'content-type': 'application/json',
    connection: 'close',
  })
  const text = JSON.stringify(body)
  const socket = connect(Number(port), '127.0.0.1')
  await once(socket, 'connect')
  const head = [`${line} HTTP/1.1`, ...headers.map((each) => each.join(': ')), `content-length: ${text.length}`]
  socket.write(`${head.join('\r\n')}\r\n\r\n${text.slice(0, 1)}`)
  await sleep(scaled(200)) // until its head was read
  return async () => {
    socket.write(text.slice(1))
    let answer = ''
    for await (const chunk of socket.setEncoding('latin1')) answer += chunk
    return Number(answer.slice(9, 12))
  }
}

test('18.8, 18.12 a change whose body comes after the session has ended is refused: no token outlives a new password', async (t) => {
  const it = await openTestAdmin(t, { database })
  const wanted = { name: 'kept', role: 'viewer' }
  const [late, inTime] = [
    await askSlowly(it, 'POST /api/tokens', wanted),
    await askSlowly(it, 'POST /api/tokens', wanted),
  ]
  assert.equal(await inTime(), 201)
  assert.equal((await setPassword(it)).status, 204)
  assert.equal(await late(), 401)
  const { items } = (await it.ask('GET /api/tokens')).body
  assert.deepEqual(
    items.map(({ revoked }: { revoked: string | null }) => revoked === null),
    [false],
  )
})

test('18.7, 18.12 requests with the old password or an earlier session that wait for the store are refused when a new password is set first', async (t) => {
  const it = await openTestAdmin(t, { database })
  await it.sessionOf('viewer')
  await it.sessionOf('administrator')
  const holding = it.opened.gateway.store.openHandlerTransaction({
    wait: patience,
    signal: new AbortController().signal,
  })
  await holding.database.schema.createTable('HELD').addColumn('ID', 'integer').execute()
  const first = setPassword(it)
  await sleep(scaled(300))
  const body = { current: password, password: 'the password of an intruder' }
  const others = [
    it.ask('POST /api/session', { as: 'nobody', body: { name: 'an viewer', password } }),
    it.ask('PUT /api/session/password', { as: 'viewer', body }),
    it.ask('POST /api/tokens', { as: 'viewer', body: { name: 'kept', role: 'viewer' } }),
  ]
  await sleep(scaled(300))
  await holding.rollback()
  assert.equal((await first).status, 204)
  assert.deepEqual(
    (await Promise.all(others)).map(({ status }) => status),
    [401, 409, 401],
  )
  const signIn = (secret: string) =>
    it.ask('POST /api/session', { as: 'nobody', body: { name: 'an viewer', password: secret } })
  assert.deepEqual([(await signIn(newPassword)).status, (await signIn(body.password)).status], [201, 401])
  assert.deepEqual((await it.ask('GET /api/tokens')).body.items, [])
})

test('3.24, 18.10 a password whose client has disconnected is not verified, and signs no one in', async (t) => {
  const it = await openTestAdmin(t, { database })
  const { host, port } = new URL(it.admin.url)
  const { administrators } = it.opened.gateway.store.administration
  const find = administrators.find.bind(administrators)
  const { promise: left, resolve: leave } = Promise.withResolvers<void>()
  t.mock.method(administrators, 'find', async (name: string) => {
    leave()
    await sleep(scaled(300))
    return find(name)
  })
  const text = JSON.stringify({ name: 'an viewer', password })
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(`POST /api/session HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n`)
  socket.write(`content-length: ${text.length}\r\n\r\n${text}`)
  await left
  socket.destroy()
  await sleep(scaled(600))
  t.mock.restoreAll()
  const { items } = (await it.ask('GET /api/audit')).body
  assert.equal(items.filter(({ subject }: { subject: string }) => subject === 'an viewer').length, 0)
})
