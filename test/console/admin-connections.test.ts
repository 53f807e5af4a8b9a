/** Connections of the administration plane (specification 18.39). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type Socket, connect as toPort } from 'node:net'
import { test } from 'node:test'
import { limitAdminConnections } from '../../src/admin/limit-admin-connections.ts'
import { openTestAdmin } from '../support/admin.ts'
import { findDatabase } from '../support/databases.ts'

test('18.39 beyond the limit the site with the most connections loses its oldest, and the others stay', async (t) => {
  const accepted: Socket[] = []
  const server = createServer((socket) => accepted.push(socket.on('error', () => {})))
  const addresses = [
    '192.0.2.1',
    '192.0.2.1',
    '192.0.2.1',
    '2001:db8:7:1::1',
    '2001:db8:7:2::1',
    '198.51.100.1',
    '192.0.2.1',
  ]
  let opened = 0
  limitAdminConnections(server, 5)
  server.prependListener('connection', (socket: Socket) => {
    Object.defineProperty(socket, 'remoteAddress', { value: addresses[opened] }) // loopback is one network
    opened += 1
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const clients: Socket[] = []
  t.after(() => {
    for (const client of clients) client.destroy()
    server.close()
  })
  for (const _ of addresses) {
    const client = toPort(port, '127.0.0.1').on('error', () => {})
    clients.push(client)
    await Promise.all([once(client, 'connect'), once(server, 'connection')])
  }
  const closed = [clients[0], clients[1]].map((client) => once(client?.resume() as Socket, 'close'))
  await Promise.all(closed)
  assert.deepEqual(
    accepted.map(({ destroyed }) => destroyed),
    [true, true, false, false, false, false, false],
  )
})

test('18.39 a body sent byte by byte is ended at its time limit, and so is a head; others are answered meanwhile', async (t) => {
  const limits = { headersTimeout: 300, requestTimeout: 400, connectionsCheckingInterval: 50 }
  const { admin } = await openTestAdmin(t, { database: findDatabase('SQLite'), limits })
  const { port, host } = new URL(admin.url)
  const slow = [
    `POST /api/session HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 10000\r\n\r\n`,
    `POST /api/session HTTP/1.1\r\nHost: ${host}\r\nX-Slow: `,
  ].map(async (begin) => {
    const socket = toPort(Number(port), '127.0.0.1').on('error', () => {})
    socket.write(begin)
    const trickle = setInterval(() => socket.write(' '), 20)
    let answer = ''
    socket.setEncoding('latin1').on('data', (text) => {
      answer += text
    })
    await new Promise((resolve) => socket.on('close', resolve))
    clearInterval(trickle)
    return answer.slice(0, 12)
  })
  assert.equal((await fetch(`${admin.url}/api/session`)).status, 401)
  for (const answer of await Promise.all(slow)) assert.match(answer, /^(HTTP\/1\.1 408)?$/) // a reset may take it away
})
