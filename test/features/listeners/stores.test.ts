/** What a listed call shares with any operation, on both databases (specification 44.2). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Configuration } from '../../../src/configuration/configuration.ts'
import { parseConfiguration } from '../../../src/configuration/parse-configuration.ts'
import { openTestAdmin } from '../../support/admin.ts'
import { basic, send } from '../../support/client.ts'
import { forEachDatabase } from '../../support/databases.ts'
import { openOriginal } from '../../support/original.ts'

const id = 'HttpListeningConnector:JOB_SYNC.v1:PARTNER:PSFT_HR'
const line = 'POST /PSIGW/HttpListeningConnector?Operation=JOB_SYNC.v1&From=PARTNER&To=PSFT_HR'

/** The reference configuration with a listener, and a limit of two calls. */
const withListener = (url: string) => (configuration: Configuration) => {
  const parsed = parseConfiguration({
    ...configuration,
    listeners: [
      {
        connector: 'HttpListeningConnector',
        passThrough: url,
        verification: 'Basic',
        allow: [{ operation: 'JOB_SYNC.v1', from: 'PARTNER', to: 'PSFT_HR' }],
      },
    ],
    permissionLists: configuration.permissionLists.map((list) => ({ ...list, operations: [...list.operations, id] })),
    limits: [{ name: 'partners', operations: [id], calls: 2, per: '1h', burst: 2 }],
  })
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems))
  return parsed.configuration
}

forEachDatabase((database) => {
  test(`44.2 a listed call has permissions, limits and transactions by its id (${database.name})`, async (t) => {
    const original = await openOriginal()
    t.after(original.close)
    const { ask, opened } = await openTestAdmin(t, {
      database,
      configure: withListener(original.url),
      properties: { 'ig.monitor': 'on' },
    })
    const call = () =>
      send(opened.url, line, { headers: { ...basic('DEMO'), 'content-type': 'text/xml' }, body: '<job/>' })
    const answers = [await call(), await call(), await call()]
    assert.deepEqual(
      answers.map(({ status, text }) => (status === 200 ? text : status)),
      ['ok', 'ok', 429],
    )
    assert.equal(original.requests.length, 2)
    const transaction = String(answers[0]?.headers['ig-transaction-id'])
    for (;;) {
      const { status, body } = await ask(`GET /api/monitor/transactions/${transaction}`)
      if (status !== 200) continue
      assert.deepEqual([body.operation, body.operator, body.node, body.httpStatus], [id, 'DEMO', 'PSFT_HR', 200])
      break
    }
    const { body: found } = await ask(
      `GET /api/monitor/transactions?operation=${encodeURIComponent(id)}&httpStatus=200`,
    )
    assert.equal(found.items.length, 2)
    const { body: matrix } = await ask('GET /api/permission-matrix?operator=DEMO')
    assert.ok(matrix.operations.items.some((operation: { readonly id: string }) => operation.id === id))
  })
})
