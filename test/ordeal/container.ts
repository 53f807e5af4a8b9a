/**
 * Every kind of request that holds much memory, one after the other and many at once, against `ig start` in a container of
 * 512 MB with one worker, and of 1 GiB with two: no process ends (specification 7.8).
 */
import { once } from 'node:events'
import { Agent } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { askAndNeverRead, type Bomb, pour } from '../support/burden.ts'
import { type BurdenInstance, openBurden } from '../support/burden-instance.ts'
import { send } from '../support/client.ts'
import { connector } from '../support/cluster-project.ts'
import { type Container, openContainer } from '../support/container.ts'
import type { Ordeal, Tally } from './ordeal.ts'

const MB = 1_000_000
const MiB = 1024 ** 2
const attributes = Array.from({ length: 20 }, (_, index) => `${'abcdefghijklmnopqrst'[index]}="${index}"`).join(' ')
const row = (piece: string): Bomb => ({ begin: '<request><row>', piece, end: '</row></request>' })
const bombs = {
  attributes: row(`<k ${attributes}/>`),
  elements: row('<k/>'),
  children: row('<a><b/><b/><b/></a>'),
  texts: row('<a>text of some length</a>'),
  entities: row('&lt;'),
  comments: row('x<!---->'),
  deep: row(`${'<a>'.repeat(200)}${'</a>'.repeat(200)}`),
  utf16: { ...row('<k>\u4e2d</k>'), begin: '\ufeff<request><row>', encoding: 'utf16le' },
  rows: { begin: '<request>', piece: '<row><k>v</k></row>', end: '</request>' },
  plain: { begin: '', piece: 'x', end: '' },
  wide: { begin: '', piece: '\u4e2d', end: '' },
} as const satisfies Record<string, Bomb>

interface Attack {
  readonly bomb: keyof typeof bombs
  readonly operation: 'TREE' | 'ROWS' | 'TEXT'
  readonly bytes: number
  readonly times: number
  readonly isChunked?: boolean
}

const kinds = Object.keys(bombs) as (keyof typeof bombs)[]
const attacks: readonly Attack[] = [
  { bomb: 'elements', operation: 'TREE', bytes: 60_000, times: 500 },
  { bomb: 'attributes', operation: 'TREE', bytes: 600_000, times: 200 },
  ...kinds.map((bomb) => ({ bomb, operation: 'TREE', bytes: 30 * MB, times: 4 }) as const),
  ...kinds.map((bomb) => ({ bomb, operation: 'ROWS', bytes: 30 * MB, times: 4, isChunked: true }) as const),
  { bomb: 'plain', operation: 'TEXT', bytes: 60 * MB, times: 4 },
  { bomb: 'wide', operation: 'TEXT', bytes: 20 * MB, times: 16 },
  { bomb: 'plain', operation: 'TEXT', bytes: 200_000, times: 300 },
  { bomb: 'attributes', operation: 'ROWS', bytes: 132 * MB, times: 1 },
  { bomb: 'attributes', operation: 'TREE', bytes: 237 * MB, times: 1 },
  { bomb: 'attributes', operation: 'TREE', bytes: 237 * MB, times: 4 },
  { bomb: 'rows', operation: 'ROWS', bytes: 60 * MB, times: 16 },
  { bomb: 'elements', operation: 'TREE', bytes: 60 * MB, times: 16 },
]
/** A bomb does not report it. */
const others = ['neverRead', 'administration', 'manyRows'] as const
const each = attacks.length + others.length
const sizes = [
  { workers: 1, bytes: 512 * MiB },
  { workers: 2, bytes: 1024 * MiB },
] as const

export const container: Ordeal = {
  name: 'container',
  title: `${each} attacks on memory, in 512 MB with one worker and in 1 GiB with two`,
  figure: 'no process ends, and calls are answered after each attack',
  trials: each * sizes.length,
  async open({ say }) {
    let running: { at: number; container: Container; instance: BurdenInstance } | undefined
    const close = async () => {
      await running?.instance.stop()
      await running?.container.remove()
      running = undefined
    }
    const openAt = async (at: number) => {
      const { workers, bytes } = sizes[at] ?? sizes[0]
      const container = openContainer(bytes)
      running = { at, container, instance: await openBurden(container, { workers }) }
      return running
    }
    return {
      close,
      async trial(index) {
        const at = Math.floor(index / each)
        if (running && running.at !== at) await close()
        const { container, instance } = running ?? (await openAt(at))
        const before = instance.deaths()
        const tally = await attack(instance, index % each, say)
        const status = await askSmall(instance.url)
        const died = instance.deaths() - before
        if (died > 0) say(instance.said().slice(-2000))
        const peak = Math.round((container.peak() ?? 0) / MiB)
        return { ...tally, died, kills: container.kills(), unanswered: status === 200 ? 0 : 1, [`maxMiB${at}`]: peak }
      },
    }
  },
  judge: ({ died = 0, kills = 0, unanswered = 0, answered = 0, refused = 0 }) => [
    ...(died > 0 ? [`${died} processes ended`] : []),
    ...(kills > 0 ? [`the kernel ended ${kills} processes`] : []),
    ...(unanswered > 0 ? [`after ${unanswered} attacks an ordinary call got no answer`] : []),
    ...(answered + refused === 0 ? ['no attack was answered: nothing was proven'] : []),
  ],
}

async function attack(instance: BurdenInstance, index: number, say: (line: string) => void): Promise<Tally> {
  const planned = attacks[index]
  const other = others[index - attacks.length]
  if (!planned) return other ? unusual[other](instance) : {}
  const { bomb, operation, bytes, times, isChunked = false } = planned
  say(`${times} × ${bomb} of ${bytes} to ${operation}`)
  const path = `${operation}.v1`
  const poured = Array.from({ length: times }, () => pour(instance.url, path, bombs[bomb], bytes, { isChunked }))
  return count(await Promise.all(poured))
}

function count(statuses: readonly (number | undefined)[]): Tally {
  const refused = statuses.filter((status) => status === 413 || status === 503 || status === 400).length
  const answered = statuses.filter((status) => status === 200).length
  const timedOut = statuses.filter((status) => status === 504).length
  return { answered, refused, timedOut, cutOff: statuses.length - answered - refused - timedOut }
}

const unusual = { neverRead, administration, manyRows } satisfies Record<(typeof others)[number], unknown>

/** Rows of the database, as many as fit, and more. */
async function manyRows({ url }: BurdenInstance): Promise<Tally> {
  const statuses: (number | undefined)[] = []
  for (const { rows, times } of [
    { rows: 60_000, times: 1 },
    { rows: 1_000_000, times: 1 },
    { rows: 1000, times: 200 },
    { rows: 1_000_000, times: 16 },
  ]) {
    const ask = () => send(url, `GET ${connector}/READ.v1/${rows}`, { agent: new Agent() })
    const asked = Array.from({ length: times }, () => ask().then(({ status }) => (status === 500 ? 413 : status)))
    statuses.push(...(await Promise.all(asked.map((each) => each.catch(() => undefined)))))
  }
  return count(statuses)
}

/** 60 clients ask for 20 MB each and read nothing; they leave after ordinary calls were answered. */
async function neverRead({ url }: BurdenInstance): Promise<Tally> {
  const clients = await Promise.all(Array.from({ length: 60 }, () => askAndNeverRead(url, `LARGE.v1/${20 * MB}`)))
  let answered = 0
  for (let calls = 0; calls < 200; calls += 1) if ((await askSmall(url)) === 200) answered += 1
  for (const { end } of clients) end()
  return { answered }
}

/** Milliseconds after an attack: a process that was overloaded sheds calls for as long (specification 25.13). */
const recovery = 2_000

/** On a connection of its own; 0 where there was no answer. */
async function askSmall(url: string): Promise<number> {
  const end = performance.now() + recovery
  for (;;) {
    const asked = send(url, `GET ${connector}/SMALL.v1`, { agent: new Agent() })
    const { status } = await asked.catch(() => ({ status: 0 }))
    if (status !== 503 || performance.now() > end) return status
    await sleep(50)
  }
}

/** Bodies of administration, none of which is read to its end before its sender is known, and slow ones of a sign-in. */
async function administration({ adminUrl }: BurdenInstance): Promise<Tally> {
  const { hostname, port } = new URL(adminUrl)
  const body = Buffer.from(`{"name":${'['.repeat(1000)}`.padEnd(1024 ** 2, ' '))
  const sockets = Array.from({ length: 500 }, () => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    const head = `POST /api/session HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\n`
    socket.write(`${head}Content-Length: ${body.length}\r\n\r\n`)
    socket.write(body.subarray(0, -1))
    socket.resume()
    return socket
  })
  await Promise.all(sockets.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])))
  const { status } = await send(adminUrl, 'GET /api/session', { agent: new Agent() }).catch(() => ({ status: 0 }))
  for (const socket of sockets) socket.destroy()
  return { answered: status > 0 ? 1 : 0 }
}
