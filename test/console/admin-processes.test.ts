/** Administration where processes come and go: beside several workers of `ig start`, and under `ig dev` (specification 18). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeCertificate } from '../support/certificate.ts'
import { type IgProcess, makeProject, readSetupLink, serve } from '../support/cli.ts'
import { send } from '../support/client.ts'
import { openCluster } from '../support/cluster.ts'
import { clusterFiles } from '../support/cluster-project.ts'
import { findDatabase } from '../support/databases.ts'
import { poll } from '../support/poll.ts'
import { findPorts } from '../support/proxies.ts'
import { openRawSocket } from '../support/raw-socket.ts'

interface Asked {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** Of the client: another one on another connection. */
  readonly port: number | undefined
}

const oneConnection = () => new Agent({ keepAlive: true, maxSockets: 1 })

function ask(url: string, line: string, headers: Record<string, string> = {}, body?: string, agent = new Agent()) {
  const [method, path = ''] = line.split(' ')
  return new Promise<Asked>((resolve, reject) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const asking = request(url + path, { method, headers: { ...headers, ...type }, agent }, async (response) => {
      const { statusCode: status, headers: received, socket } = response
      const port = socket.localPort
      resolve({ status, headers: received, text: await text(response), port })
    })
    asking.on('error', reject).end(body)
  })
}

/** By the one-time link. @returns what a browser would send from then on */
async function signUp(serving: Pick<IgProcess, 'until'>) {
  const { url, token } = await readSetupLink(serving)
  const body = JSON.stringify({ token, name: 'kim', password: 'a long sentence is a good one' })
  const made = await ask(url, 'POST /api/invitation', {}, body)
  assert.equal(made.status, 201)
  const [cookie = ''] = (made.headers['set-cookie']?.[0] ?? '').split(';')
  return { url, session: { cookie, 'x-csrf-token': String(JSON.parse(made.text).csrfToken) } }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** The process that serves administration, the newest one. */
const started = /"event":"started","worker":0,"pid":(\d+)/

test('18.31, 19.11, 20.11, 21.11 with two workers administration is served once, before they are ready, and sessions survive the death of any process (PostgreSQL)', async (t) => {
  const { start } = await openCluster(t, findDatabase('PostgreSQL'))
  const [adminPort] = await findPorts(1)
  const instance = await start(['--workers', '2'], { IG_ADMIN_PORT: String(adminPort) })
  await poll(async () => (await send(instance.url, 'GET /readyz')).status === 200)
  assert.equal((await send(`http://127.0.0.1:${adminPort}`, 'GET /api/sign-in')).status, 200)
  const { url, session } = await signUp(instance)
  const state = async () => JSON.parse((await ask(url, 'GET /api/state', session)).text)
  const workers = await instance.pids(2)
  const [, administration = ''] = await instance.until(started)
  assert.equal(workers.includes(administration), false)
  assert.deepEqual([(await state()).gatewayUrl, (await state()).revision], [instance.url, 1])
  const trial = JSON.stringify({ method: 'GET', path: '/WHO.v1' })
  const tried = await ask(url, 'POST /api/try', session, trial)
  assert.deepEqual([tried.status, JSON.parse(tried.text).status], [200, 200], 'calls are tried there')
  const transaction = `GET /api/monitor/transactions/${JSON.parse(tried.text).transactionId}`
  await poll(async () => (await ask(url, transaction, session)).status !== 404) // until it is stored
  assert.equal(JSON.parse((await ask(url, transaction, session)).text).operation, 'WHO_GET.v1')

  process.kill(Number(workers[0]), 'SIGKILL')
  await instance.until(/"event":"workerDied","message":"Worker \d \(process \d+\) ended by SIGKILL/)
  assert.equal((await state()).revision, 1)
  process.kill(Number(administration), 'SIGKILL')
  await instance.until(/"event":"workerDied","message":"Administration \(process \d+\) ended by SIGKILL/)
  assert.equal((await instance.call('GET WHO.v1')).status, 200)
  const [, , second] = await instance.until(new RegExp(`${started.source}[\\s\\S]*${started.source}`))
  assert.equal((await state()).revision, 1)

  assert.equal((await ask(url, 'PUT /api/operators/GUEST/lock', session)).status, 204)
  await poll(async () => !/^\d+$/.test((await instance.call('GET WHO.v1')).text))
  instance.process.kill('SIGHUP')
  await instance.until(new RegExp(`"event":"rolling"[\\s\\S]*${started.source}`))
  await poll(() => !isAlive(Number(second)))
  assert.equal((await state()).managedBy, 'revisions')
  const { code, stdout, stderr } = await instance.stop()
  assert.equal(code, 0)
  assert.equal(stdout.match(new RegExp(started, 'g'))?.length, 3)
  assert.equal(stderr.match(/administration at http/g)?.length, 1)
  await assert.rejects(ask(url, 'GET /api/state'), { code: 'ECONNREFUSED' })
})

test('18.2, 18.31 with several workers, an unavailable administration port is a warning', async (t) => {
  const { start } = await openCluster(t, findDatabase('SQLite'))
  const busy = createServer().listen(0, '127.0.0.1')
  await once(busy, 'listening')
  t.after(() => busy.close())
  const port = String((busy.address() as AddressInfo).port)
  const second = await start(['--workers', '2'], { IG_ADMIN_PORT: port })
  await poll(async () => (await send(second.url, 'GET /readyz')).status === 200)
  assert.equal((await second.call('GET WHO.v1')).status, 200)
  const { stdout, stderr } = await second.stop()
  assert.match(stderr, new RegExp(`administration is not available: port ${port} is in use`))
  assert.doesNotMatch(stdout, started)
  assert.equal(stdout.match(/"event":"administrationMissing"/g)?.length, 1)
  const both = await start(['--workers', '2', '--admin-port', second.port, '--port', second.port])
  assert.match((await both.stop()).stderr, new RegExp(`administration is not available: port ${second.port} is in use`))
})

async function dev(files: Readonly<Record<string, string>> = {}, env: Readonly<Record<string, string>> = {}) {
  const folder = makeProject({ ...clusterFiles, ...files })
  const serving = serve(['dev', folder, '--port', '0', '--admin-port', '0'], { env })
  let count = 0
  /** Saves a file, until it is live. */
  const reload = async () => {
    count += 1
    writeFileSync(join(folder, 'saved.js'), `export const count = ${count}`)
    await serving.until(new RegExp('Reloaded[\\s\\S]*'.repeat(count)))
  }
  return { ...serving, folder, reload }
}

test('14.3 under ig dev administration survives a reload: same port, same connection, and the session is still valid', async () => {
  const serving = await dev()
  const { url, session } = await signUp(serving)
  const agent = oneConnection()
  const before = await ask(url, 'GET /api/session', session, undefined, agent)
  const silent = await openRawSocket(url)
  await serving.reload()
  const after = await ask(url, 'GET /api/session', session, undefined, agent)
  assert.deepEqual([after.status, after.port], [200, before.port])
  assert.equal(JSON.parse(after.text).csrfToken, session['x-csrf-token'])
  await serving.reload()
  silent.write(`GET /api/session HTTP/1.1\r\nHost: ${new URL(url).host}\r\nCookie: ${session.cookie}\r\n\r\n`)
  assert.equal((await silent.readReply()).status, 200)
  assert.equal((await ask(url, 'GET /api/session', session, undefined, agent)).port, before.port)
  const { code, stdout } = await serving.stop()
  assert.equal(code, 0)
  assert.equal(stdout.match(/with the link in/g)?.length, 1)
})

test('14.3 no request is dropped while the process that serves is replaced', async () => {
  const serving = await dev()
  const { url, session } = await signUp(serving)
  const seen = new Set<number | undefined>()
  let isOver = false
  const asking = Promise.all(
    [oneConnection(), new Agent({ keepAlive: false })].map(async (agent) => {
      for (; !isOver; await sleep(5)) seen.add((await ask(url, 'GET /api/session', session, undefined, agent)).status)
      agent.destroy()
    }),
  )
  asking.catch(() => {})
  for (let times = 0; times < 2; times += 1) await serving.reload()
  isOver = true
  await asking
  assert.deepEqual([...seen], [200])
  assert.equal((await serving.stop()).code, 0)
})

test('18.3, 18.5, 14.3 over TLS a new connection reaches the next process, and a reload creates no further link', async (t) => {
  const { cert, key } = makeCertificate()
  const env = { IG_ADMIN_TLS_CERT: 'cert.pem', IG_ADMIN_TLS_KEY: 'key.pem' }
  const serving = await dev({ 'cert.pem': cert, 'key.pem': key }, env)
  const [, url = ''] = await serving.until(/Console +(https:\S+)/)
  const status = async () => {
    const socket = await openRawSocket(url)
    socket.write(`GET /api/session HTTP/1.1\r\nHost: ${new URL(url).host}\r\n\r\n`)
    return (await socket.readReply()).status
  }
  assert.equal(await status(), 401)
  await serving.reload()
  assert.equal(await status(), 401)
  assert.equal((await serving.stop()).code, 0)
  const database = new DatabaseSync(join(serving.folder, 'data/gateway.sqlite'), { readOnly: true })
  t.after(() => database.close())
  assert.equal(database.prepare('select count(*) as links from ig_admin_invitation').get()?.links, 1) // not one a reload
})
