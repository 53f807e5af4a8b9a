/** What a connection costs beside its calls (specification 7.8). */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { openRawSocket } from '../support/raw-socket.ts'

const require = createRequire(import.meta.url)

const skip = process.platform === 'win32' && 'no limit of descriptors there'

async function startFewDescriptors() {
  const script = join(import.meta.dirname, '../support/few-descriptors.ts')
  const run = 'ulimit -n 150; exec "$0" --conditions=integration-gateway-source "$1"'
  const child = spawn('sh', ['-c', run, process.execPath, script], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const tell = async (message: string) => {
    child.send(message)
    return (await once(child, 'message'))[0]
  }
  const [url] = await once(child, 'message')
  return { child, url, tell }
}

test('7.8 connections for which the process has no descriptors are closed at once and counted; others are served', {
  skip,
}, async () => {
  const { child, url, tell } = await startFewDescriptors()
  const kept = await openRawSocket(url)
  const crowd = await Promise.all(Array.from({ length: 200 }, () => openRawSocket(url)))
  await Promise.race(crowd.map(({ closed }) => closed))
  kept.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  assert.equal((await kept.readReply()).text, 'ok')
  for (const socket of [kept, ...crowd]) socket.destroy()
  assert.deepEqual(await tell('end'), ['connectionsFull'])
  await once(child, 'exit')
})

test('7.8 while a process has no descriptor left, it logs that new connections are closed; it accepts them when it has some again', {
  skip,
}, async () => {
  const { child, url, tell } = await startFewDescriptors()
  assert.equal(await tell('exhaust'), 'exhausted')
  const closed = await openRawSocket(url)
  await closed.closed
  assert.equal(await tell('free'), 'freed')
  const served = await openRawSocket(url)
  served.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  assert.equal((await served.readReply()).text, 'ok')
  for (const socket of [closed, served]) socket.destroy()
  assert.deepEqual(await tell('end'), ['connectionsFull'])
  await once(child, 'exit')
})

/** Not part of what `undici` documents: with another version, read its `lib/dispatcher/client-h1.js` before this is changed. */
test('7.5 the llhttp of undici is the one that src/http/llhttp.ts was written for', () => {
  const digest = (file: string) =>
    createHash('sha256')
      .update(require(`undici/lib/llhttp/${file}`))
      .digest('hex')
  assert.equal(digest('llhttp_simd-wasm.js'), '2434215e1f7fa0163f22ce895ddbeb83984fa0aa51e123164e053213e5aca028')
  assert.equal(digest('llhttp-wasm.js'), '57184a16144b5bc880e29105fa35d75c93dd318563e1b743e110de845e2ab661')
  const { ERROR, TYPE } = require('undici/lib/llhttp/constants.js')
  assert.deepEqual([ERROR.PAUSED, ERROR.INVALID_VERSION, TYPE.REQUEST], [21, 9, 1])
})
