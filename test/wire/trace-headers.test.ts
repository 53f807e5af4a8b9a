/** Trace headers of a call, as its handler gets them (specification 20.14). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPlanned } from '../support/planned.ts'

test('20.14 without tracing the gateway passes the caller’s trace headers to its handlers unchanged', async (t) => {
  const gateway = await openPlanned()
  t.after(() => gateway.close())
  gateway.plan = (response, _, { traceHeaders }) => response.setContentString(JSON.stringify(traceHeaders))
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  const handed = async (headers: Record<string, string>) => JSON.parse((await gateway.ask('GET', { headers })).text)
  assert.deepEqual(await handed({ traceparent, tracestate: 'a=b' }), { traceparent, tracestate: 'a=b' })
  assert.deepEqual(await handed({ traceparent, tracestate: 'no members' }), { traceparent })
  assert.match((await handed({})).traceparent, /^00-[\da-f]{32}-[\da-f]{16}-00$/)
  assert.match((await handed({ traceparent: 'nonsense', tracestate: 'a=b' })).traceparent, /-00$/)
})
