/** `node --test` ends although modules of a project leave timers and connections open (specification 11.4). */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { makeProject } from '../support/cli.ts'
import { conditions } from '../support/installed.ts'

const files = (port: number) => ({
  'gateway.config.ts': `
import { defineGateway, defineSampleOperators } from 'integration-gateway'
export default defineGateway({
  nodes: [{ name: 'LOCAL', isDefaultLocal: true }, { name: 'ANONYMOUS', defaultUser: 'GUEST' }],
  services: [{ name: 'S' }],
  operations: [{ service: 'S', name: 'HELLO', method: 'GET', handler: 'handlers/hello.ts' }],
  permissionLists: [{ name: 'ALL', services: ['S'] }],
})
export const sampleOperators = defineSampleOperators([{ id: 'GUEST', password: 'guest-password', email: 'guest@example.com', permissionLists: ['ALL'] }])
`,
  'handlers/hello.ts': `
import { connect } from 'node:net'
setInterval(() => {}, 1000)
const open = () => { const socket = connect(${port}, '127.0.0.1'); socket.on('error', () => {}); return socket }
const pool = [open()]
export default class Hello {
  onRequest(request, { broker }) {
    pool.push(open())
    setTimeout(() => {}, 3_600_000)
    return broker.createMessage(request.operationName, 'response')
  }
}
`,
  'test/hello.test.ts': `
import assert from 'node:assert/strict'
import { test as check } from 'node:test'
import { openTestGateway } from 'integration-gateway/testing'
check('it answers', async () => {
  await using gateway = await openTestGateway({ project: new URL('..', import.meta.url) })
  assert.equal((await gateway.call('GET HELLO.v1/')).status, 200)
})
check('a timer of the test itself counts', async () => {
  const own = new Promise((resolve) => setTimeout(resolve, 50))
  await (await openTestGateway({ project: new URL('..', import.meta.url) })).close()
  await own
})
`,
})

test('11.4 node --test ends despite open timers and connections of a handler’s module, and waits for those of a test', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const folder = makeProject(files((server.address() as AddressInfo).port))
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const child = spawn(process.execPath, [...conditions, '--test'], { cwd: folder, env })
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
    assert.equal(code, 0, output)
    assert.match(output, /pass 2/)
  } finally {
    server.close()
  }
})
