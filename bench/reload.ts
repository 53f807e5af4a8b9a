/**
 * What a reload costs: revisions of 10,000 operations are activated in turn while calls stream in. The longest gap
 * without an answer, the time from the activation to the first answer of the new revision, and what a thousand reloads
 * leave behind.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Configuration } from '../src/configuration/configuration.ts'
import { parseConfiguration } from '../src/configuration/parse-configuration.ts'
import { digestConfiguration, writeDocument } from '../src/configuration/revision.ts'
import { openStore } from '../src/store/open-store.ts'
import type { Store } from '../src/store/store.ts'
import { helloHandler, writeHelloProject } from './hello-project.ts'
import { pinned } from './pinned.ts'
import { findPort, startServer } from './servers.ts'

export interface Reload {
  readonly operations: number
  /** Milliseconds; without a reload, over as long a time. */
  readonly quietGap: number
  /** Milliseconds, of each reload. */
  readonly gaps: readonly number[]
  readonly maxCalls: readonly number[]
  /** From the activation to the first answer of the new revision, in milliseconds. */
  readonly ready: readonly number[]
  /** Processor time of the longest turn of the event loop in each reload, in milliseconds. */
  readonly turns: readonly number[]
  readonly soak: Soak
}

export interface ReloadResult {
  readonly maxGap: number
  readonly maxCall: number
  readonly answers: number
  readonly firstSeen: number | undefined
}

export interface Soak {
  readonly operations: number
  readonly turns: readonly number[]
  /** MB after a collection, open files; after so many reloads. */
  readonly samples: readonly { readonly reload: number; readonly heap: number; readonly files: number | undefined }[]
}

const root = join(import.meta.dirname, '..')
const operationCount = 10_000

export async function measureReload(reloads: number): Promise<Reload> {
  const folder = mkdtempSync(join(tmpdir(), 'ig-bench-'))
  try {
    const stream = await measureStream(folder, reloads)
    const { turns } = await soak(join(folder, 'turns.sqlite'), operationCount, 20)
    return { operations: operationCount, ...stream, turns, soak: await soak(join(folder, 'soak.sqlite'), 1000, 1000) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measureStream(folder: string, reloads: number): Promise<Omit<Reload, 'operations' | 'turns' | 'soak'>> {
  writeHelloProject(folder)
  const store = await openStore(join(folder, 'gateway.sqlite'))
  await store.operators.add({ id: 'GUEST', permissionLists: ['ALL'] })
  await addRevisions(store, operationCount)
  const port = await findPort()
  const gateway = await startServer(['start', folder, '--port', String(port)], port, folder)
  const stream = openStream(port)
  try {
    await sleep(3000) // the compiler does its work
    await stream.ask('')
    await sleep(1500)
    const { maxGap: quietGap } = await stream.ask('')
    const measured = { gaps: [] as number[], maxCalls: [] as number[], ready: [] as number[] }
    for (let index = 0; index < reloads; index += 1) {
      const expectedActive = 2 - (index % 2)
      const revision = 1 + (index % 2)
      const outcome = await store.revisions.activate(revision, { expectedActive, time: Date.now() })
      const activated = Date.now()
      if (!('activation' in outcome)) throw new Error('another process activates')
      const { maxGap, maxCall, firstSeen = 0 } = await stream.ask(String(revision))
      measured.gaps.push(maxGap)
      measured.maxCalls.push(maxCall)
      measured.ready.push(firstSeen - activated)
      await sleep(500)
    }
    return { quietGap, ...measured }
  } finally {
    stream.close()
    await gateway.stop()
    await store.close()
  }
}

async function soak(database: string, operations: number, reloads: number): Promise<Soak> {
  const store = await openStore(database)
  await addRevisions(store, operations)
  await store.revisions.activate(1, { expectedActive: 2, time: Date.now() })
  await store.close()
  const options = ['--conditions=integration-gateway-source', '--expose-gc', join(root, 'bench/reload-soak.ts')]
  const { stdout } = await promisify(execFile)(process.execPath, [...options, database, String(reloads)])
  return JSON.parse(stdout)
}

/** Revision 1 and revision 2, which is in force then. Every operation differs. */
async function addRevisions(store: Store, operations: number): Promise<void> {
  let expectedActive: number | undefined
  for (const description of ['the first text', 'the second text']) {
    const configuration = makeConfiguration(operations, description)
    const revision = { document: writeDocument(configuration), digest: digestConfiguration(configuration) }
    const outcome = await store.revisions.add(revision, { expectedActive, time: Date.now() })
    expectedActive = 'activation' in outcome ? outcome.activation.revision : undefined
  }
}

export function makeConfiguration(count: number, description: string): Configuration {
  const services = Array.from({ length: 100 }, (_, index) => ({ name: `SERVICE_${index}` }))
  const parsed = parseConfiguration({
    nodes: [
      { name: 'LOCAL_NODE', isDefaultLocal: true },
      { name: 'ANONYMOUS', defaultUser: 'GUEST' },
    ],
    documents: [{ name: 'PARAMETERS', elements: { key: { type: 'String' }, page: { type: 'Integer' } } }],
    messages: [{ name: 'URI_PARAMETERS', document: 'PARAMETERS' }],
    services,
    operations: Array.from({ length: count }, (_, index) => ({
      service: `SERVICE_${index % services.length}`,
      name: `OPERATION_${index}`,
      method: 'GET',
      description,
      uriTemplates: [`items-${index}/{key}`, `items-${index}/{key}/pages/{page}`],
      documentTemplate: 'URI_PARAMETERS',
      handler: helloHandler,
    })),
    permissionLists: [{ name: 'ALL', services: services.map(({ name }) => name) }],
  })
  if ('configuration' in parsed) return parsed.configuration
  throw new Error(JSON.stringify(parsed.problems.slice(0, 3)))
}

function openStream(port: number) {
  const path = '/PSIGW/RESTListeningConnector/LOCAL_NODE/OPERATION_7.v1/items-7/some-key'
  const script = join(root, 'bench/stream.ts')
  const load = JSON.stringify({ port, path, connections: 8 })
  const [program, ...args] = pinned(1, [process.execPath, script, load])
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface(child.stdout)
  return {
    /** What was measured since the last question, once the revision was seen. */
    async ask(revision: string): Promise<ReloadResult> {
      const answered = once(lines, 'line')
      child.stdin.write(`${revision}\n`)
      const [line] = await answered
      return JSON.parse(line)
    },
    close: () => void child.stdin.end(),
  }
}
