/** Judges the project that it is copied into: 08-tell-the-mailer.md. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { openTestGateway } from 'integration-gateway/testing'

const project = new URL('..', import.meta.url)
const operators = [{ id: 'DESK', permissionLists: ['MEMBER_DESK'] }, { id: 'RAY' }]

async function open() {
  const told: string[] = []
  /** By address: what the mailing service does instead of 204. */
  const troubles = new Map<string, number | 'away'>()
  const mailer = createServer(async (request, response) => {
    const { email } = JSON.parse(await text(request))
    assert.deepEqual([request.method, request.url], ['POST', '/welcome'])
    const trouble = troubles.get(email)
    if (trouble === 'away') return void response.destroy()
    if (trouble === undefined) told.push(email)
    response.writeHead(trouble ?? 204).end()
  })
  await once(mailer.listen(0, '127.0.0.1').unref(), 'listening')
  const variables = { MAILER_URL: `http://127.0.0.1:${(mailer.address() as AddressInfo).port}` }
  const gateway = await openTestGateway({ project, operators, variables })
  const join = async (email: string) => (await gateway.call('POST JOIN.v1/', { as: 'DESK', json: { email } })).status
  const close = async () => {
    await gateway.close()
    mailer.close()
    mailer.closeAllConnections()
  }
  return { gateway, told, troubles, join, [Symbol.asyncDispose]: close }
}

test('the mailing service gets one call for each member', async () => {
  await using judged = await open()
  const { gateway, told, join } = judged
  assert.equal(await join('a@example.com'), 201)
  assert.equal(await join('b@example.com'), 201)
  for (const _ of [1, 2]) await gateway.runJob('WELCOME')
  assert.deepEqual(told.sort(), ['a@example.com', 'b@example.com'])
  assert.equal(await join('a@example.com'), 409)
  await gateway.runJob('WELCOME')
  assert.equal(told.length, 2)
})

test('a mailing service that was away gets its calls later, and none again that it has accepted', async () => {
  await using judged = await open()
  const { gateway, told, troubles, join } = judged
  const addresses = ['a@example.com', 'b@example.com', 'c@example.com', 'd@example.com']
  troubles.set('a@example.com', 503).set('c@example.com', 'away').set('d@example.com', 400)
  for (const address of addresses) assert.equal(await join(address), 201)
  for (const _ of [1, 2]) {
    await gateway.runJob('WELCOME')
    assert.deepEqual(told, ['b@example.com'])
    gateway.advance(60_000)
  }
  troubles.clear()
  for (const _ of [1, 2]) {
    await gateway.runJob('WELCOME')
    assert.deepEqual(told.toSorted(), addresses)
    gateway.advance(60_000)
  }
})

test('the job runs every minute, and only the desk may call the operation', async () => {
  const { default: config } = await import(new URL('gateway.config.ts', project).href)
  const jobs: { name: string; every?: string; at?: string }[] = config.jobs ?? []
  const job = jobs.find(({ name }) => name === 'WELCOME')
  assert.ok(job, 'gateway.config.ts has no job WELCOME')
  assert.match(job.every ?? job.at ?? '', /^(?:1min|60s|\* \* \* \* \*)$/)
  await using judged = await open()
  const { gateway, told } = judged
  const json = { email: 'ray@example.com' }
  assert.equal((await gateway.call('POST JOIN.v1/', { as: 'RAY', json })).refusal?.code, 'permissionDenied')
  assert.equal((await gateway.call('POST JOIN.v1/', { json })).status, 401)
  await gateway.runJob('WELCOME')
  assert.deepEqual(told, [])
})
