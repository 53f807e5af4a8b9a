/** Jobs in the testing kit, and the errors of projects that have them (specification 24). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { defineResource, defineSettings, type JobContext } from 'integration-gateway'
import { openTestGateway } from 'integration-gateway/testing'
import { forEachDatabase } from '../../support/databases.ts'
import { notes } from '../../support/store-process.ts'

const nodes = [{ name: 'LOCAL_NODE', isDefaultLocal: true }]

test('24.4, 24.13 a test runs a job: its context has everything but a call, and the outcome is returned', async () => {
  const contexts: JobContext[] = []
  class Write {
    async run(context: JobContext) {
      contexts.push(context)
      await context.database.insertInto('NOTE').values({ ID: 1, TEXT: context.name }).execute()
      context.log.information('written', { due: context.due })
    }
  }
  class Fail {
    async run({ database }: JobContext) {
      await database.insertInto('NOTE').values({ ID: 2, TEXT: 'never' }).execute()
      throw new TypeError('no')
    }
  }
  const project = {
    configuration: {
      nodes,
      services: [{ name: 'NOTES' }],
      operations: [{ service: 'NOTES', name: 'NOTES', method: 'GET' as const, handler: 'handlers/write.ts' }],
      jobs: [
        { name: 'WRITE', every: '1h', handler: 'handlers/write.ts', isActive: false },
        { name: 'FAIL', every: '1h', handler: 'handlers/fail.ts', retries: 3 },
      ],
    },
    handlers: { 'handlers/write.ts': Write, 'handlers/fail.ts': Fail },
    migrations: [notes],
  }
  await using gateway = await openTestGateway({ project, now: '2026-01-02T03:04:05Z' })
  const written = await gateway.runJob('WRITE')
  assert.deepEqual([written.outcome, written.error], ['succeeded', undefined])
  assert.deepEqual(
    written.log.map(({ level, message }) => [level, message]),
    [['information', 'written']],
  )
  const [context] = contexts
  assert.deepEqual(
    Object.keys(context ?? {}).filter((key) => /operator|request|response/.test(key)),
    [],
  )
  assert.deepEqual(
    [context?.runId, context?.attempt, context?.due],
    [written.runId, 1, Date.parse('2026-01-02T03:04:05Z')],
  )
  assert.match(context?.traceHeaders.traceparent ?? '', /^00-[\da-f]{32}-[\da-f]{16}-00$/)
  assert.equal(context?.broker.getUrl('NOTES_GET', 'v1', 1, {}), '/PSIGW/RESTListeningConnector/LOCAL_NODE/NOTES.v1/')
  assert.equal(await context?.broker.deleteRestCache('NOTHING_GET', 'v1'), false)
  assert.throws(() => context?.database, /The run is over/)
  assert.equal(context?.server.dbType, 'SQLITE')

  const failed = await gateway.runJob('FAIL')
  assert.deepEqual([failed.outcome, (failed.error as Error).name], ['failed', 'TypeError'])
  const rows = await gateway.withDatabase((database) =>
    database.selectFrom('NOTE').select('TEXT').where('ID', '>', 0).execute(),
  )
  assert.deepEqual(rows, [{ TEXT: 'WRITE' }])
  await assert.rejects(gateway.runJob('WRITES'), /^TypeError: There is no job WRITES; did you mean WRITE\?/)
})

// Last: what declares a setting declares it for its process
test('24.4 a job has the settings, resources, metrics and calls of other services that handlers have', async (t) => {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(String(request.headers.traceparent))
    response.end('7')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const settings = defineSettings({ rates: { variable: 'JOB_TEST_RATES', isSecret: false, isRequired: false } })
  const doubling = defineResource({ open: () => ({ double: (value: number) => 2 * value }), close() {} })
  const found: unknown[] = []
  class Rates {
    async run(context: JobContext) {
      const answer = await context.fetch(context.setting(settings.rates) ?? '')
      const { double } = await context.resource(doubling)
      found.push(double(Number(await answer.text())), context.traceHeaders.traceparent?.slice(0, 35))
      context.metrics.count('rates_total')
    }
  }
  const handler = 'handlers/rates.ts'
  const project = {
    configuration: { nodes, jobs: [{ name: 'RATES', every: '1h', handler }] },
    handlers: { [handler]: Rates },
  }
  const { port } = server.address() as AddressInfo
  await using gateway = await openTestGateway({ project, variables: { JOB_TEST_RATES: `http://127.0.0.1:${port}/` } })
  const { outcome, error } = await gateway.runJob('RATES')
  assert.equal(outcome, 'succeeded', String(error))
  assert.deepEqual(found, [14, asked[0]?.slice(0, 35)])
})

forEachDatabase((database) => {
  test(`11.4, 24.13 a job runs on the database that the test gives the kit (${database.name})`, async (t) => {
    const place = await database.open()
    t.after(place.remove)
    class Write {
      async run({ database: tables }: JobContext) {
        await tables.insertInto('NOTE').values({ ID: 1, TEXT: 'written' }).execute()
      }
    }
    const configuration = { nodes, jobs: [{ name: 'WRITE', every: '1h', handler: 'handlers/write.ts' }] }
    const project = { configuration, handlers: { 'handlers/write.ts': Write }, migrations: [notes] }
    await using gateway = await openTestGateway({ project, database: place.url })
    assert.equal((await gateway.runJob('WRITE')).outcome, 'succeeded')
    const rows = await gateway.withDatabase((tables) => tables.selectFrom('NOTE').selectAll().execute())
    assert.ok(rows.some(({ TEXT }) => TEXT === 'written'))
  })
})
