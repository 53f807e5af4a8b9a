/** Failures of power at random moments of a POST storm on SQLite, replayed from a trace of one gateway's writes and syncs. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openStore } from '../../src/store/open-store.ts'
import { send } from '../support/client.ts'
import { type DiskEvent, losePower, readTrace, straceOptions } from '../support/disk-trace.ts'
import { igCommand, installed } from '../support/installed.ts'
import { unshed } from '../support/patience.ts'
import type { OpenOrdeal, Ordeal, OrdealOptions, Tally } from './ordeal.ts'

export interface PowerOptions extends Partial<OrdealOptions> {
  /** Replayed by every trial; by default one is recorded for each so many. */
  readonly trace?: Trace
  /** See losePower. */
  readonly forgetsSyncs?: boolean
}

export const power: Ordeal = {
  name: 'power',
  title: 'power fails at random moments of a POST storm on SQLite',
  figure: 'acknowledged = stored, none half, the database sound and opened by the next start; 200 cuts',
  trials: 200,
  needs: () => (spawnSync('strace', ['-qq', 'true']).status === 0 ? undefined : 'strace, permitted to trace'),
  open: (options) => openPower(options),
  judge: (
    { acknowledged = 0, lost = 0, half = 0, damaged = 0, refused = 0, lostWrites = 0, checkpoints = 0 },
    trials,
  ) => [
    ...(lost > 0 ? [`${lost} acknowledged POSTs are lost`] : []),
    ...(half > 0 ? [`${half} POSTs are half stored`] : []),
    ...(damaged > 0 ? [`${damaged} databases are damaged`] : []),
    ...(refused > 0 ? [`${refused} databases were refused by the next start`] : []),
    ...(acknowledged < trials ? [`only ${acknowledged} POSTs were acknowledged before ${trials} cuts`] : []),
    ...(lostWrites < trials ? [`only ${lostWrites} writes were lost: power did not fail hard enough`] : []),
    ...(trials >= 100 && checkpoints === 0 ? ['no checkpoint was under way or done before any cut'] : []),
  ],
}

const rows = 10
const parallel = 16
/** A trace is replayed so many times. */
const cutsOfTrace = 50
/** So many that a checkpoint of the write-ahead log is among them. */
const postsOfTrace = 1500

export async function openPower({
  signal,
  say = () => {},
  trace,
  forgetsSyncs = false,
}: PowerOptions): Promise<OpenOrdeal> {
  let recorded = trace && { from: 0, trace }
  return {
    async trial(index, random) {
      const from = index - (index % cutsOfTrace)
      if (!recorded || (!trace && recorded.from !== from)) {
        say('recording a trace')
        recorded = { from, trace: await recordTrace(postsOfTrace, signal) }
      }
      const { before, events, ready } = recorded.trace
      const cut = ready + Math.floor(random() * (events.length - ready))
      const { files, lostWrites } = losePower(before, events, cut, random, { forgetsSyncs })
      const happened = events.slice(0, cut)
      const acknowledged = new Set(happened.flatMap((event) => (event.kind === 'sent' ? findNoted(event.text) : [])))
      const checkpoints = happened.some((event) => event.kind === 'write' && event.name === 'gateway.sqlite') ? 1 : 0
      return { acknowledged: acknowledged.size, lostWrites, checkpoints, ...(await examine(files, acknowledged)) }
    },
    close: async () => {},
  }
}

export interface Trace {
  readonly before: ReadonlyMap<string, Buffer>
  readonly events: readonly DiskEvent[]
  /** The first event at which power may fail: the first POST was answered. */
  readonly ready: number
}

const project = {
  'package.json': '{ "type": "module" }',
  'gateway.config.ts': `
export default {
  nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }, { name: 'ANONYMOUS', defaultUser: 'GUEST' }],
  services: [{ name: 'POWER' }],
  operations: [{ service: 'POWER', name: 'NOTE', method: 'POST', uriTemplates: ['/'], handler: 'handlers/note.ts#Note' }],
  permissionLists: [{ name: 'ALL', services: ['POWER'] }],
}`,
  'migrations/0001-note.ts': `
export async function up(database) {
  await database.schema.createTable('NOTE').addColumn('ID', 'integer').addColumn('TEXT', 'text').execute()
  await database.schema.createIndex('NOTE_ID').on('NOTE').column('ID').execute()
}`,
  'handlers/note.ts': `
export class Note {
  async onRequest(request, { broker, database }) {
    const id = Number(request.getHeader('x-id'))
    const text = String(id).repeat(100)
    await database.insertRows('NOTE', ['ID', 'TEXT'], Array.from({ length: ${rows} }, () => [id, text]))
    const response = broker.createMessage(request.operationName, 'response')
    response.setContentString('noted ' + id + ';')
    return response
  }
}`,
}

function findNoted(text: string): number[] {
  return [...text.matchAll(/noted (\d+);/g)].map(([, id]) => Number(id))
}

/** @throws where it is not answered as it should be */
export async function recordTrace(posts: number, signal?: AbortSignal): Promise<Trace> {
  const folder = mkdtempSync(join(tmpdir(), 'ig-power-'))
  try {
    for (const [name, text] of Object.entries(project)) {
      mkdirSync(join(folder, name, '..'), { recursive: true })
      writeFileSync(join(folder, name), text)
    }
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(installed, join(folder, 'node_modules/integration-gateway'))
    const database = join(folder, 'data/gateway.sqlite')
    const store = await openStore(database)
    await store.operators.add({ id: 'GUEST', permissionLists: ['ALL'] })
    await store.close()
    const before = new Map([['gateway.sqlite', readFileSync(database)]])
    const trace = join(folder, 'trace')
    await postTraced(folder, trace, posts, signal)
    const events = await readTrace(trace, database)
    const ready = events.findIndex((event) => event.kind === 'sent' && findNoted(event.text).length > 0)
    return { before, events, ready: ready + 1 }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The gateway is killed behind the last answer. */
async function postTraced(folder: string, trace: string, posts: number, signal?: AbortSignal): Promise<void> {
  const ig = [process.execPath, ...igCommand]
  const args = [...straceOptions, '-o', trace, ...ig, 'start', folder, '--port', '0', '--admin-port', 'off']
  const settings = { IG_LOG_LEVEL: '-100', IG_MONITOR: 'off', IG_METRICS: 'off', IG_RECENTTRANSACTIONS: '0' }
  const { PATH = '' } = process.env
  const child = spawn('strace', args, { env: { PATH, ...unshed, ...settings }, stdio: ['ignore', 'ignore', 'pipe'] })
  const closed = once(child, 'close') // strace has ended, too: it shares the pipe
  const abort = () => child.kill('SIGKILL')
  signal?.addEventListener('abort', abort)
  const agent = new Agent({ keepAlive: true })
  try {
    const url = await findUrl(child.stderr)
    let next = 0
    const post = async () => {
      for (next += 1; next <= posts && !signal?.aborted; next += 1) {
        const headers = { 'x-id': String(next) }
        const { status, text } = await send(url, `POST /PSIGW/RESTListeningConnector/LOCAL_NODE/NOTE.v1/`, {
          agent,
          headers,
        })
        if (status !== 200) throw new Error(`a POST was answered with ${status}: ${text}`)
      }
    }
    await Promise.all(Array.from({ length: parallel }, post))
  } finally {
    signal?.removeEventListener('abort', abort)
    agent.destroy()
    child.kill('SIGKILL')
    await closed
  }
}

async function findUrl(stderr: AsyncIterable<Buffer>): Promise<string> {
  let text = ''
  for await (const chunk of stderr) {
    text += chunk
    const [, url] = / at (http:\S+)/.exec(text) ?? []
    if (url !== undefined) return url
  }
  throw new Error(`the gateway did not start: ${text}`)
}

/** As the next start finds it. */
async function examine(files: ReadonlyMap<string, Buffer>, acknowledged: ReadonlySet<number>): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), 'ig-power-'))
  const file = join(folder, 'gateway.sqlite')
  try {
    for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes)
    const isRefused = await openStore(file).then(
      (store) => store.close().then(() => 0),
      () => 1,
    )
    const database = new DatabaseSync(file)
    try {
      const found = database.prepare('pragma integrity_check').get()?.integrity_check
      const counts = new Map<number, number>()
      for (const row of database.prepare('select ID, count(*) as count from NOTE group by ID').all())
        counts.set(Number(row.ID), Number(row.count))
      return {
        lost: [...acknowledged].filter((id) => !counts.has(id)).length,
        half: [...counts.values()].filter((count) => count !== rows).length,
        damaged: found === 'ok' ? 0 : 1,
        refused: isRefused,
      }
    } finally {
      database.close()
    }
  } catch {
    return { lost: acknowledged.size, half: 0, damaged: 1, refused: 0 }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
