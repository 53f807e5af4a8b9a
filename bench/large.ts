/**
 * 10,000 operations of five URI templates, 100,000 operators and 1,000 permission lists, against the same of seven
 * operations: calls of many operations in turn, the start to the first answer, and the memory of the process. Runs the
 * compiled package, as users do: removing the types of the sources costs 20 MB more in each process.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Configuration } from '../src/configuration/configuration.ts'
import { parseConfiguration } from '../src/configuration/parse-configuration.ts'
import { digestConfiguration, writeDocument } from '../src/configuration/revision.ts'
import { openStore } from '../src/store/open-store.ts'
import { hashPassword } from '../src/verification/password.ts'
import { drive } from './drive.ts'
import { helloHandler, writeHelloProject } from './hello-project.ts'
import { type InstalledPackage, publish } from './published.ts'
import { basic, demo, get } from './requests.ts'
import { type Contender, duel, spread } from './rounds.ts'
import { findPort, type Server, startScript, startServer } from './servers.ts'
import { formatDuel, type Outcome, type Row } from './versus.ts'

interface Size {
  readonly operations: number
  readonly operators: number
  readonly permissionLists: number
}

const large: Size = { operations: 10_000, operators: 100_000, permissionLists: 1000 }
const small: Size = { operations: 7, operators: 5, permissionLists: 2 }
/** Different operations that are called in turn. */
const called = 1000

export const measureLarge: Row['measure'] = async ({ options }): Promise<Outcome> => {
  await using opened = new AsyncDisposableStack()
  const published = publish() // what users run: the sources cost 20 MB more, for the removal of types
  opened.defer(published.remove)
  const [ours, theirs] = [await prepare(large), await prepare(small)]
  for (const { folder } of [ours, theirs]) opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  const starts: number[] = []
  while (starts.length < options.rounds) {
    const { server, milliseconds } = await timeStart(ours, published)
    starts.push(milliseconds / 1000)
    await server.stop()
  }
  const contender = async (prepared: PreparedProject): Promise<Contender> => {
    const { server } = await timeStart(prepared, published)
    opened.defer(server.stop)
    return { server, requests: prepared.requests }
  }
  const [first, second] = [await contender(ours), await contender(theirs)]
  const atStart = residentMemory(first.server.pid, 'VmRSS')
  await drive(options.client, { port: first.server.port, ...first, connections: options.connections, seconds: 1 })
  const measured = await duel(first, second, options)
  const memory = residentMemory(first.server.pid, 'VmRSS')
  const peak = residentMemory(first.server.pid, 'VmHWM')
  const smallMemory = residentMemory(second.server.pid, 'VmRSS')
  return {
    figures: { 'req/s': measured.ratio, start: spread(starts), RSS: spread([memory]) },
    detail: `${formatDuel(measured)}; RSS ${atStart.toFixed(0)} MB at start, ${peak.toFixed(0)} at most; of seven operations ${smallMemory.toFixed(0)}`,
    sides: measured,
  }
}

/** From the start of the process to its first answer: the package, the checkout, and Fastify over the same database in turn. */
export const measureStart: Row['measure'] = async ({ options }): Promise<Outcome> => {
  await using opened = new AsyncDisposableStack()
  const prepared = await prepare(small)
  opened.defer(async () => rmSync(prepared.folder, { recursive: true, force: true }))
  const published = publish()
  opened.defer(async () => published.remove())
  const measured = {
    start: [] as number[],
    processor: [] as number[],
    checkout: [] as number[],
    fastify: [] as number[],
  }
  for (let start = 0; start <= options.rounds; start += 1) {
    for (const program of [published, undefined]) {
      const { server, milliseconds } = await timeStart(prepared, program)
      const processor = processorTime(server.pid)
      await server.stop()
      if (start === 0) continue // fills the compile cache
      measured[program ? 'start' : 'checkout'].push(milliseconds / 1000)
      if (program) measured.processor.push(processor)
    }
    const fastify = await timeFastify(prepared)
    if (start > 0) measured.fastify.push(fastify / 1000)
  }
  const { start, processor, checkout, fastify } = measured
  const ratio = spread(start.map((seconds, round) => seconds / (fastify[round] ?? Number.NaN)))
  return {
    figures: { ratio, start: spread(start), processor: spread(processor), checkout: spread(checkout) },
    detail: `Fastify ${spread(fastify).median.toFixed(2)} s; the revision in the store, the compile cache warm, one core`,
  }
}

/** @returns milliseconds */
async function timeFastify({ folder, requests }: PreparedProject): Promise<number> {
  const [probe] = requests
  const begun = performance.now()
  const server = await startScript(
    'peers/fastify-database.js',
    { database: join(folder, 'gateway.sqlite'), path: probe?.path ?? '/' },
    probe,
  )
  const milliseconds = performance.now() - begun
  await server.stop()
  return milliseconds
}

/** In seconds, of all threads of a process. */
function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

interface PreparedProject {
  readonly folder: string
  readonly requests: Contender['requests']
}

async function prepare(size: Size): Promise<PreparedProject> {
  const folder = mkdtempSync(join(tmpdir(), 'ig-bench-'))
  writeHelloProject(folder)
  const configuration = makeConfiguration(size)
  const database = join(folder, 'gateway.sqlite')
  const store = await openStore(database)
  try {
    const revision = { document: writeDocument(configuration), digest: digestConfiguration(configuration) }
    await store.revisions.add(revision, { expectedActive: undefined, time: Date.now() })
    const passwordHash = await hashPassword(demo.password)
    const permissionLists = [0, 1, 2, 3].map((part) => listName(Math.floor((part * size.permissionLists) / 4)))
    await store.operators.add({ id: demo.id, passwordHash, permissionLists: ['EVERYTHING', ...permissionLists] })
    addOperators(database, size, passwordHash)
  } finally {
    await store.close()
  }
  const numbers = Array.from({ length: Math.min(called, size.operations) }, (_, index) =>
    Math.floor((index * size.operations) / Math.min(called, size.operations)),
  )
  const requests = numbers.map((number) => get(`OPERATION_${number}.v1/items-${number}/some-key/pages/7`, basic))
  return { folder, requests }
}

const listName = (number: number) => `LIST_${number}`

/** By the same rows that `ig operator add` makes, in one transaction: one by one they would take minutes. */
function addOperators(database: string, { operators, permissionLists }: Size, passwordHash: string): void {
  const file = new DatabaseSync(database)
  const epoch = file.prepare(`select epoch from ig_epoch where name = 'operators'`).get()?.epoch as number
  const add = file.prepare(
    'insert into ig_operator (id, description, password_hash, is_locked, changed) values (?, ?, ?, 0, ?)',
  )
  const email = file.prepare(
    'insert into ig_operator_email (operator_id, type, address, is_primary) values (?, ?, ?, 1)',
  )
  const grant = file.prepare('insert into ig_operator_permission_list (operator_id, permission_list) values (?, ?)')
  file.exec('begin')
  for (let number = 0; number < operators; number += 1) {
    const id = `OPERATOR_${number}`
    add.run(id, `The operator of number ${number}`, passwordHash, epoch)
    email.run(id, 'work', `operator.${number}@example.com`)
    const lists = new Set([0, 1, 2].map((part) => listName((number * 7 + part) % permissionLists)))
    for (const list of lists) grant.run(id, list)
  }
  file.exec('commit')
  file.close()
}

function makeConfiguration({ operations, permissionLists }: Size): Configuration {
  const services = Array.from({ length: 100 }, (_, index) => ({ name: `SERVICE_${index}` }))
  const parsed = parseConfiguration({
    nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }],
    documents: [{ name: 'PARAMETERS', elements: { key: { type: 'String' }, page: { type: 'Integer' } } }],
    messages: [{ name: 'URI_PARAMETERS', document: 'PARAMETERS' }],
    services,
    operations: Array.from({ length: operations }, (_, index) => ({
      service: `SERVICE_${index % services.length}`,
      name: `OPERATION_${index}`,
      method: 'GET',
      description: `The operation of number ${index}`,
      verification: 'Basic',
      uriTemplates: [
        `items-${index}/{key}`,
        `items-${index}/{key}/pages/{page}`,
        `items-${index}/{key}/parts?page={page}`,
        `others-${index}/{key}{?page}`,
        `others-${index}/{key}/all`,
      ],
      documentTemplate: 'URI_PARAMETERS',
      handler: helloHandler,
    })),
    permissionLists: [
      { name: 'EVERYTHING', services: services.map(({ name }) => name) },
      ...Array.from({ length: permissionLists - 1 }, (_, index) => ({
        name: listName(index),
        operations: Array.from({ length: Math.min(10, operations) }, (_, part) => {
          const number = (index * 10 + part) % operations
          return `OPERATION_${number}_GET.v1`
        }),
      })),
    ],
  })
  if ('configuration' in parsed) return parsed.configuration
  throw new Error(JSON.stringify(parsed.problems.slice(0, 3)))
}

/** Asked every few milliseconds by connecting; the first answer to a call with credentials counts. */
async function timeStart(
  { folder, requests }: PreparedProject,
  published?: InstalledPackage,
): Promise<{ server: Server; milliseconds: number }> {
  const port = await findPort()
  const begun = performance.now()
  const server = await startServer(['start', folder, '--port', String(port)], port, folder, {
    published,
    probe: requests[0],
  })
  return { server, milliseconds: performance.now() - begun }
}

/** In MB. */
function residentMemory(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return (Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024) / 1e6
}
