/** PostgreSQL behind a connection that a test cuts and mends: a database that goes away, and comes back. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { findDatabase, type TestDatabase } from './databases.ts'

export interface InterruptibleDatabase extends TestDatabase {
  cut(): void
  mend(): void
}

export async function openInterruptible(t: TestContext): Promise<InterruptibleDatabase> {
  const database = findDatabase('PostgreSQL')
  const sockets = new Set<Socket>()
  let target = new URL('tcp://127.0.0.1')
  let isCut = false
  const server = createServer((socket) => {
    if (isCut) return void socket.destroy()
    const onward = connect(Number(target.port), target.hostname)
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(one)
      one.pipe(other)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const cutAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  t.after(() => {
    server.close()
    cutAll()
  })
  return {
    name: database.name,
    async open() {
      const opened = await database.open()
      target = new URL(opened.url)
      const url = Object.assign(new URL(opened.url), { host: `127.0.0.1:${(server.address() as AddressInfo).port}` })
      return { url: url.href, remove: opened.remove }
    },
    cut() {
      isCut = true
      cutAll()
    },
    mend() {
      isCut = false
    },
  }
}
