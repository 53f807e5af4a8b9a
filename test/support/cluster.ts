/** Instances of `ig start` on one database, and calls that each have a connection of their own. */
import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import type { TestContext } from 'node:test'
import { openStore } from '../../src/store/open-store.ts'
import { endServing, type IgProcess, makeProject, serve } from './cli.ts'
import { type CallOptions, send } from './client.ts'
import { clusterFiles, connector } from './cluster-project.ts'
import type { TestDatabase } from './databases.ts'
import { patience } from './patience.ts'

export interface Cluster {
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  start(args?: readonly string[], env?: Readonly<Record<string, string>>): Promise<Instance>
}

export interface Instance extends IgProcess {
  readonly url: string
  readonly port: string
  /** @param plan the handler's instructions */
  call(line: string, plan?: string, options?: CallOptions): Promise<{ readonly status: number; readonly text: string }>
  /** Of `count` workers, asking until each has answered. */
  pids(count: number): Promise<readonly string[]>
}

export async function openCluster(t: TestContext, database: TestDatabase, files = clusterFiles): Promise<Cluster> {
  const { url, remove } = await (database.openMigrated?.() ?? database.open())
  const folder = makeProject(files)
  t.after(async () => {
    await endServing(folder)
    await remove()
  })
  const store = await openStore(url)
  await store.operators.add({ id: 'GUEST', permissionLists: ['ALL'] })
  await store.close()
  const env = { IG_DATABASE: url, IG_LOG_LEVEL: '3' }
  return {
    folder,
    env,
    async start(args = ['--workers', '2'], more = {}) {
      const serving = serve(['start', folder, '--port', '0', ...args], { env: { ...env, ...more } })
      const [, place = ''] = await serving.until(/serving \S+ at (http:\S+)/)
      return openInstance(serving, place)
    },
  }
}

export function openInstance(serving: IgProcess, url: string): Instance {
  const call: Instance['call'] = (line, plan = '', options = {}) => {
    const [method, path] = line.split(' ')
    const headers = { ...options.headers, 'x-plan': plan }
    return send(url, `${method} ${connector}/${path}`, {
      agent: new Agent(),
      signal: AbortSignal.timeout(patience),
      ...options,
      headers,
    })
  }
  return {
    ...serving,
    url,
    port: new URL(url).port,
    call,
    async pids(count) {
      const seen = new Set<string>()
      for (let asked = 0; seen.size < count && asked < 2000; asked += 1) {
        const { status, text } = await call('GET WHO.v1')
        assert.equal(status, 200, text)
        seen.add(text)
      }
      return [...seen].sort()
    },
  }
}
