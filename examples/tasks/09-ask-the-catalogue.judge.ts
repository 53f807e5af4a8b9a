/** Judges the project that it is copied into: 09-ask-the-catalogue.md. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { openTestGateway } from 'integration-gateway/testing'

const operators = [
  { id: 'READER', permissionLists: ['READERS'] },
  { id: 'OTHER', permissionLists: ['READERS'] },
  { id: 'RAY' },
]
const isbn = '9780552137034'
const shelf = { isbn, shelf: 'B7' }
type Mode = 'well' | 'unknown' | 'broken' | 'away' | 'silent' | 'half'

async function open() {
  const state: { mode: Mode; asked: number } = { mode: 'well', asked: 0 }
  const catalogue = createServer((request, response) => {
    state.asked += 1
    const isKnown = request.url === `/books/${isbn}` && state.mode !== 'unknown'
    if (state.mode === 'away') return void response.destroy()
    if (state.mode === 'silent') return
    response.setHeader('content-type', 'application/json')
    if (state.mode === 'broken') response.writeHead(500).end('{"error":"down"}')
    else if (state.mode === 'half') response.write('{"shelf":')
    else response.writeHead(isKnown ? 200 : 404).end(isKnown ? '{"shelf":"B7"}' : '{}')
  })
  await once(catalogue.listen(0, '127.0.0.1').unref(), 'listening')
  const variables = { CATALOGUE_URL: `http://127.0.0.1:${(catalogue.address() as AddressInfo).port}` }
  const project = new URL('..', import.meta.url)
  const gateway = await openTestGateway({ project, operators, variables })
  const call = (as = 'READER', book = isbn) => gateway.call(`GET SHELF.v1/${book}`, { as })
  const close = async () => {
    await gateway.close()
    catalogue.close()
    catalogue.closeAllConnections()
  }
  return { gateway, state, call, [Symbol.asyncDispose]: close }
}

test('the shelf of the catalogue is answered, and kept ten minutes for everyone', async () => {
  await using judged = await open()
  const { gateway, state, call } = judged
  const first = await call()
  assert.deepEqual([first.status, first.json()], [200, shelf])
  state.mode = 'broken'
  gateway.advance(599_000)
  assert.deepEqual((await call('OTHER')).json(), shelf)
  assert.equal(state.asked, 1)
  gateway.advance(1_000)
  assert.equal((await call()).status, 503)
})

test('a book that the catalogue does not know is 404', async () => {
  await using judged = await open()
  const { state, call } = judged
  state.mode = 'unknown'
  assert.equal((await call()).status, 404)
  state.mode = 'well'
  assert.equal((await call()).status, 200)
})

test('a catalogue that fails or is silent is 503 within three seconds, and that is not kept', async () => {
  await using judged = await open()
  const { state, call } = judged
  for (const mode of ['broken', 'away', 'silent', 'half'] as const) {
    state.mode = mode
    const begun = performance.now()
    const answer = await call()
    assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '30'], mode)
    assert.ok(performance.now() - begun < 3000, `${mode}: ${Math.round(performance.now() - begun)} ms`)
  }
  state.mode = 'well'
  assert.deepEqual((await call()).json(), shelf)
})

test('no one else may call it, and then the catalogue is not asked', async () => {
  await using judged = await open()
  const { gateway, state, call } = judged
  assert.equal((await call('RAY')).refusal?.code, 'permissionDenied')
  assert.equal((await gateway.call(`GET SHELF.v1/${isbn}`)).status, 401)
  assert.equal(state.asked, 0)
})
