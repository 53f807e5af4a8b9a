/**
 * The edge with malformed streams, and with connections that come and go: nothing is read out of a body, and
 * nothing is left behind (specification 7.5, 7.8).
 */
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { memoryBytes } from '../../src/http/llhttp.ts'
import { collectGarbage } from '../support/collect-garbage.ts'
import { openEdge } from '../support/edge.ts'
import { mutate, openOpinions } from '../support/edge-mutations.ts'
import type { Ordeal, Random } from './ordeal.ts'

interface Size {
  readonly trials: number
  /** In each trial. */
  readonly streams: number
  readonly connections: number
  /** Of each state. */
  readonly aborted: number
}

const call = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
const post = 'POST / HTTP/1.1\r\nHost: a\r\n'
/** What a connection is at when its client resets it. */
const states: Readonly<Record<string, string>> = {
  fresh: '',
  idle: call,
  head: 'GET / HTTP/1.1\r\nHo',
  call: 'GET /slow HTTP/1.1\r\nHost: a\r\n\r\n',
  body: `${post}Content-Length: 100\r\n\r\nhalf`,
  chunk: `${post}Transfer-Encoding: chunked\r\n\r\n5\r\nhe`,
  trailers: `${post}Transfer-Encoding: chunked\r\n\r\n0\r\nX: y`,
  rest: 'POST /unread HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf',
  leaving: 'G(T',
}
/** Concurrent ones. */
const crowd = 50

export function openEdgeOrdeal(size: Size): Ordeal {
  const { trials, streams, connections, aborted } = size
  return {
    name: 'edge',
    title: `${streams * trials} mutated streams beside node:http, ${connections * trials} connections, ${aborted * trials} aborted in each state`,
    figure: 'every difference explained; heap, descriptors, timers and memory of the parser flat',
    trials,
    async open() {
      const opinions = openOpinions()
      const edge = await openEdge({
        observe() {},
        operation: async (incoming) => {
          if (incoming.target === '/slow')
            await new Promise((resolve) => incoming.signal.addEventListener('abort', resolve, { once: true }))
          else if (incoming.target !== '/unread') await incoming.readBody()
          return 'ok'
        },
      })
      const port = Number(new URL(edge.url).port)
      await run(port, 2000, 200) // what the first ones make stays
      const before = await measure()
      return {
        async trial(_index, random) {
          let unexplained = 0
          for (let count = 0; count < streams; count += 1) {
            const difference = await opinions.compare(mutate(random as Random))
            if (difference && !difference.why) unexplained += 1
          }
          await run(port, connections, aborted)
          const after = await measure()
          return {
            unexplained,
            maxHeap: after.heap - before.heap,
            maxDescriptors: after.descriptors - before.descriptors,
            maxTimers: after.timers - before.timers,
            maxParsers: after.parsers - before.parsers,
          }
        },
        async close() {
          opinions.close()
          await edge.close()
        },
      }
    },
    judge: ({ unexplained = 0, maxHeap = 0, maxDescriptors = 0, maxTimers = 0, maxParsers = 0 }) => [
      ...(unexplained > 0 ? [`${unexplained} differences that nothing explains`] : []),
      ...(maxHeap > 4 * 1024 ** 2 ? [`the heap grew by ${maxHeap} bytes`] : []),
      ...(maxDescriptors > 0 ? [`${maxDescriptors} descriptors were left`] : []),
      ...(maxTimers > 0 ? [`${maxTimers} timers were left`] : []),
      ...(maxParsers > 0 ? [`the parsers took ${maxParsers} bytes more`] : []),
    ],
  }
}

export const edge = openEdgeOrdeal({ trials: 100, streams: 1000, connections: 10_000, aborted: 1000 })

async function run(port: number, connections: number, aborted: number): Promise<void> {
  const kinds = Object.values(states)
  const work = [
    ...Array.from({ length: connections }, () => () => visit(port, call, false)),
    ...Array.from(
      { length: aborted * kinds.length },
      (_, at) => () => visit(port, kinds[at % kinds.length] ?? '', true),
    ),
  ]
  const next = async () => {
    for (let one = work.pop(); one; one = work.pop()) await one()
  }
  await Promise.all(Array.from({ length: crowd }, next))
}

/** Sends it, and leaves: after the response, or by a reset when it is sent. */
function visit(port: number, text: string, isReset: boolean): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      if (!isReset) return void socket.write(text)
      if (text === '') socket.resetAndDestroy()
      else socket.write(text, () => setImmediate(() => socket.resetAndDestroy()))
    })
    socket.on('data', () => !isReset && socket.end())
    socket.on('error', () => {})
    socket.on('close', () => resolve())
  })
}

/** When all has ended that will. */
async function measure() {
  const open = () => readdirSync('/proc/self/fd').length
  for (let descriptors = -1, turns = 0; turns < 50; turns += 1) {
    if (open() !== descriptors) turns = 0
    descriptors = open()
    await new Promise(setImmediate)
  }
  collectGarbage()
  const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  return { heap: process.memoryUsage().heapUsed, descriptors: open(), timers, parsers: memoryBytes() }
}
