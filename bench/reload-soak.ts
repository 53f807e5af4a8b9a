/**
 * Activations in one process, for `reload.ts`: the longest turn of the event loop in each, and what heap and open files
 * are after them. Takes the database file and how many reloads, prints a `Soak` as JSON. Needs `--expose-gc`.
 */
import { readdirSync } from 'node:fs'
import type { HandlerClass } from '../src/model/handler.ts'
import { followRevisions, openRevision } from '../src/project/activate-revision.ts'
import { openStore } from '../src/store/open-store.ts'
import type { Soak } from './reload.ts'

const [, , database = '', reloads = ''] = process.argv
const store = await openStore(database)
const handlers = new Map([['handlers/hello.ts', class {} as unknown as HandlerClass]])
const parts = {
  store,
  settings: { authorizationServer: undefined, jsonWebKey: undefined, secretKey: undefined },
  findHandlers: async () => ({ handlers }),
}
const gateway = { catalog: await openRevision(1, parts), observe() {}, condition: {} }
const follower = followRevisions(gateway, parts)
const samples: Soak['samples'][number][] = []
const turns: number[] = []
let maxTurn = 0
let last = processorTime()
let turning = setImmediate(turn)
for (let reload = 1; reload <= Number(reloads); reload += 1) {
  maxTurn = 0
  const { revision } = gateway.catalog
  const next = revision === 1 ? 2 : 1
  const outcome = await store.revisions.activate(next, { expectedActive: revision, time: Date.now() })
  if (!('activation' in outcome)) throw new Error('another process activates')
  follower.follow(outcome.activation)
  await follower.settled()
  if (gateway.catalog.revision !== next) throw new Error(`revision ${next} is not in force`)
  turns.push(maxTurn)
  if ([100, 250, 500, 1000].includes(reload)) samples.push({ reload, ...measure() })
}
clearImmediate(turning)
await store.close()
console.log(JSON.stringify({ operations: gateway.catalog.operations.size, turns, samples } satisfies Soak))

/** Whatever else the machine does is not in it. */
function turn() {
  const now = processorTime()
  maxTurn = Math.max(maxTurn, now - last)
  last = now
  turning = setImmediate(turn)
}

/** Of this thread, in milliseconds. */
function processorTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

function measure() {
  for (let pass = 0; pass < 3; pass += 1) globalThis.gc?.()
  return { heap: process.memoryUsage().heapUsed / 1e6, files: countFiles() }
}

function countFiles(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return undefined // another system than Linux
  }
}
