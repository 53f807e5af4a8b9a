/** Malformed streams, with `node:http` as a second opinion; `npm run ordeal -- edge` reads 100,000 (specification 7.5). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openEdgeOrdeal } from '../ordeal/edge.ts'
import { openRandom, runOrdeal } from '../ordeal/ordeal.ts'
import { explain, explanations, mutate, openOpinions } from '../support/edge-mutations.ts'

test('7.5 from mutated streams the edge reads the same requests as node:http, or a row of the table says why not', async (context) => {
  const opinions = openOpinions()
  context.after(opinions.close)
  const random = openRandom(1)
  const met = new Set<string>()
  for (let count = 0; count < 1500; count += 1) {
    const difference = await opinions.compare(mutate(random))
    if (!difference) continue
    assert.ok(difference.why, JSON.stringify(difference))
    met.add(difference.why)
  }
  assert.ok(met.size > explanations.length / 2, [...met].join('\n'))
})

test('7.5 a request that only one of them reads, out of a body, is a difference that no row explains', async (context) => {
  const opinions = openOpinions()
  context.after(opinions.close)
  const body = 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\nGET / HT'
  const stream = `POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  assert.equal(await opinions.compare(Buffer.from(stream)), undefined)
  const [read, out] = [`POST /body ${body}`, 'GET /smuggled ']
  const reasons = ['Request refused: missing Host']
  assert.equal(explain(stream, reasons, [read, out], [read]), undefined)
  assert.equal(explain(`${stream} upgrade`, [], [read], [read, out]), undefined)
  assert.ok(explain(stream, reasons, [read], [read, out]))
})

test('7.8 connections that come, go and are reset in every state leave nothing behind', async () => {
  const ordeal = openEdgeOrdeal({ trials: 2, streams: 50, connections: 500, aborted: 100 })
  const { done, tally } = await runOrdeal(ordeal, { trials: 2 })
  assert.deepEqual(ordeal.judge(tally, done), [], JSON.stringify(tally))
})
