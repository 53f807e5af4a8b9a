/**
 * A thousand activations in one process, for `reload.ts`: what the heap and the open files are after them. Takes the
 * database file as its argument, prints a `Soak` as JSON. Needs `--expose-gc`.
 */
import { readdirSync } from 'node:fs'
import { followRevisions, openRevision } from '../src/activate-revision.ts'
import type { HandlerClass } from '../src/model/handler.ts'
import { openStore } from '../src/store/open-store.ts'
import type { Soak } from './reload.ts'

const reloads = 1000
const store = await openStore(process.argv[2] ?? '')
const handlers = new Map([['handlers/hello.ts', class {} as unknown as HandlerClass]])
const parts = {
  store,
  settings: { authorizationServer: undefined, jsonWebKey: undefined },
  findHandlers: async () => ({ handlers }),
}
const gateway = { catalog: await openRevision(1, parts), observe() {} }
const follower = followRevisions(gateway, parts)
const samples: Soak['samples'][number][] = []
for (let reload = 1; reload <= reloads; reload += 1) {
  const { revision } = gateway.catalog
  const next = revision === 1 ? 2 : 1
  const outcome = await store.revisions.activate(next, { expectedActive: revision, time: Date.now() })
  if (!('activation' in outcome)) throw new Error('another process activates')
  follower.follow(outcome.activation)
  await follower.settled()
  if (gateway.catalog.revision !== next) throw new Error(`revision ${next} is not in force`)
  if ([100, 250, 500, 1000].includes(reload)) samples.push({ reload, ...measure() })
}
await store.close()
console.log(JSON.stringify({ operations: gateway.catalog.operations.size, samples } satisfies Soak))

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
