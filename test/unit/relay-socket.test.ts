/** A listening socket between two workers (specification 17.4). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, Server, type Socket } from 'node:net'
import { test } from 'node:test'
import { relaySocket } from '../../src/serve/production/spawn-worker.ts'

test('17.4 a connection that comes while the listening socket is on its way goes the same way, and nothing of it is read', async () => {
  const received = createServer((socket) => socket.destroy())
  await once(received.listen(0, '127.0.0.1'), 'listening')
  const { port } = received.address() as AddressInfo
  const given: { readonly message: unknown; readonly handle: Server | Socket }[] = []
  const arrived = Promise.withResolvers<void>()
  relaySocket(received, 1, {
    give(message, handle) {
      given.push({ message, handle })
      if (message.kind === 'connection') arrived.resolve()
    },
  })
  const client = connect(port, '127.0.0.1')
  client.write('GET / HTTP/1.1\r\n')
  await arrived.promise
  const [first, second] = given
  assert.deepEqual(
    [first?.message, second?.message],
    [
      { kind: 'listening', at: 1 },
      { kind: 'connection', at: 1 },
    ],
  )
  assert.ok(first?.handle instanceof Server && second?.handle && 'bytesRead' in second.handle)
  assert.equal(second.handle.bytesRead, 0)
  client.destroy()
  second.handle.destroy()
  first.handle.close()
})
