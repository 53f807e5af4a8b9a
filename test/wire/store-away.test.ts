/** Calls while PostgreSQL crashes and restarts, and while it is paused (specification 5.14). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { KeyValueGet } from '../../examples/reference/handlers/key-value.ts'
import { type Answer, basic } from '../support/client.ts'
import { openReference } from '../support/gateway.ts'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'

const row = '<request><row><key>k</key><value>v</value></row></request>'
const headers = basic('DEMO')

/** Reads, then waits for a word of the test before it reads again. */
class Waiting extends KeyValueGet {
  static readonly read = new EventTarget()
  override async onRequest(...[request, context]: Parameters<KeyValueGet['onRequest']>) {
    await context.database.selectFrom('C_KEY_VALUE').select('KEY1').execute()
    Waiting.read.dispatchEvent(new Event('first'))
    await once(Waiting.read, 'more')
    return super.onRequest(request, context)
  }
}

async function open(t: TestContext) {
  const server = await startPostgres({ isDurable: true }) // a crash keeps what was acknowledged
  t.after(() => server.stop())
  const gateway = await openReference({
    database: { name: 'PostgreSQL', open: async () => ({ url: server.url, remove: async () => {} }) },
    handlers: { 'handlers/key-value.ts#KeyValueGet': Waiting },
  })
  t.after(() => gateway.close())
  t.after(() => server.resume())
  return { server, gateway }
}

function assertAway({ status, headers: answered, text }: Answer) {
  assert.deepEqual([status, answered['retry-after'], answered['ig-refusal']], [503, '1', 'overloaded'], text)
}

for (const [how, leave] of [
  ['crashes', (server: PostgresServer) => server.crash()],
  ['is stopped', (server: PostgresServer) => server.end()],
] as const)
  test(`5.14 while PostgreSQL ${how}, calls that need it get 503, the others continue, and all do when it is back (PostgreSQL)`, async (t) => {
    const { server, gateway } = await open(t)
    assert.equal((await gateway.call('POST KEY_VALUE.v1', { headers, body: row })).status, 200)
    const first = once(Waiting.read, 'first')
    const underWay = gateway.call('GET KEY_VALUE.v1/k', { headers })
    await first
    leave(server)
    const isAway = () => gateway.observations.some((one) => one.kind === 'event' && one.name === 'storeAway')
    for (let asked = 0; !isAway(); asked += 1) {
      const { status } = await gateway.call('POST KEY_VALUE.v1', { headers, body: row })
      const known = status === 503 || status === 200 || status === 500 // a commit that was under way: 5.14
      assert.ok(known, `${asked}: ${status}`)
    }
    Waiting.read.dispatchEvent(new Event('more'))
    assertAway(await underWay)
    assertAway(await gateway.call('POST KEY_VALUE.v1', { headers, body: row }))
    assert.equal((await gateway.call('GET METADATA_BASIC.v1', { headers })).status, 200)
    await server.restart()
    const post = () => gateway.call('POST KEY_VALUE.v1', { headers, body: row })
    for (let answer = await post(); answer.status !== 200; answer = await post()) assertAway(answer)
  })
