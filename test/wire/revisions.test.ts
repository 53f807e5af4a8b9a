/** A gateway that serves revisions: it follows them, and each answer tells its own (specification 13.6 to 13.9, 13.13). */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import type { Configuration } from '../../src/configuration/configuration.ts'
import { parseConfiguration } from '../../src/configuration/parse-configuration.ts'
import { digestConfiguration, writeDocument } from '../../src/configuration/revision.ts'
import type { RequestMessage } from '../../src/model/content/message.ts'
import type { Handler, HandlerClass, HandlerContext } from '../../src/model/handler.ts'
import type { Observation } from '../../src/model/observation.ts'
import { RevisionProblems } from '../../src/model/problem.ts'
import { followRevisions, openRevision } from '../../src/project/activate-revision.ts'
import { type FindHandlers, openHandlers } from '../../src/project/open-project.ts'
import { watchGateway } from '../../src/serve/watch-gateway.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { send } from '../support/client.ts'
import { collectGarbage } from '../support/collect-garbage.ts'
import { forEachDatabase, type OpenTestDatabase } from '../support/databases.ts'
import { openServed, readTestSettings, type ServedGateway } from '../support/gateway.ts'

let runs = 0
const gates = new Map<string, Promise<void>>()

/** Its query says whether it caches, and what it waits for. */
class Probe implements Handler {
  async onRequest(request: RequestMessage, context: HandlerContext) {
    runs += 1
    const run = runs
    const plan = new URLSearchParams(request.getHeader('x-plan'))
    await gates.get(plan.get('gate') ?? '')
    const { broker, now } = context // after the gate: what a handler asks late is still of its own revision
    const response = broker.createMessage(request.operationName, 'response')
    const url = plan.has('url') ? broker.getUrl('LATE_GET', 'v1', 1, {}) : ''
    response.setContentString(`run ${run}${url}`)
    if (plan.has('cached')) response.setRestCache(now() + 60_000)
    return response
  }
}

const handlers: ReadonlyMap<string, HandlerClass> = new Map([['probe.ts', Probe]])

function configure(names: readonly string[], change: object = {}): Configuration {
  const parsed = parseConfiguration({
    nodes: [
      { name: 'LOCAL_NODE', isDefaultLocal: true },
      { name: 'ANONYMOUS', defaultUser: 'GUEST' },
    ],
    services: [{ name: 'S' }],
    operations: names.map((name) => ({ service: 'S', name, method: 'GET', handler: 'probe.ts' })),
    permissionLists: [{ name: 'ALL', services: ['S'] }],
    ...change,
  })
  if ('configuration' in parsed) return parsed.configuration
  throw new Error(JSON.stringify(parsed.problems))
}

interface Process extends Omit<ServedGateway, 'call'> {
  event(name: string, message?: string): Promise<Observation>
  call(name: string, plan?: string): ReturnType<ServedGateway['call']>
}

async function openProcess(
  url: string,
  configuration: Configuration,
  findHandlers: FindHandlers | undefined = async () => ({ handlers }),
): Promise<Process> {
  const wrote = new EventTarget()
  const gateway = await openServed({
    project: { configuration, handlers, migrations: [] },
    settings: readTestSettings(import.meta.dirname, { 'ig.database': url }),
    findHandlers,
    observe: () => void wrote.dispatchEvent(new Event('more')),
    prepare: async (store) => void (await store.operators.add({ id: 'GUEST', permissionLists: ['ALL'] })),
  })
  return {
    ...gateway,
    async event(name, message) {
      const isIt = (it: Observation) =>
        it.kind === 'event' && it.name === name && (message === undefined || it.message === message)
      for (;;) {
        const found = gateway.observations.find(isIt)
        if (found) return found
        await new Promise((resolve) => wrote.addEventListener('more', resolve, { once: true }))
      }
    },
    call: (name, plan = '') => gateway.call(`GET ${name}.v1/`, { headers: { 'x-plan': plan } }),
  }
}

async function add(store: Store, configuration: Configuration): Promise<number> {
  const revision = { document: writeDocument(configuration), digest: digestConfiguration(configuration) }
  const expectedActive = (await store.revisions.active())?.revision
  const outcome = await store.revisions.add(revision, { expectedActive, time: Date.now() })
  assert.ok('activation' in outcome)
  return outcome.activation.revision
}

forEachDatabase((database) => {
  suite(`Revisions in a serving process (${database.name})`, () => {
    let place: OpenTestDatabase
    let store: Store
    const opened: Process[] = []
    const open = async (...options: [configuration?: Configuration, findHandlers?: FindHandlers]) => {
      const [configuration = configure(['FIRST']), findHandlers] = options
      const process = await openProcess(place.url, configuration, findHandlers)
      opened.push(process)
      return process
    }
    before(async () => {
      place = await database.open()
      store = await openStore(place.url)
    })
    after(async () => {
      for (const process of opened) await process.close()
      await store.close()
      await place.remove()
    })
    const conditionsOf = async ({ url }: Process) => {
      const { status, text } = await send(url, 'GET /readyz')
      assert.equal(status, 200)
      return JSON.parse(text).conditions
    }
    const inForce = async (number: number, processes = opened) => {
      for (const process of processes) {
        if (process.gateway.catalog.revision === number) continue
        await process.event('revisionActivated', `Revision ${number} is active.`)
      }
    }

    test('13.9 the first start stores the files as revision 1, even if two start at once', async () => {
      const both = await Promise.all([open(), open()])
      assert.deepEqual(both.map(({ hasMadeRevision }) => hasMadeRevision).sort(), [false, true])
      assert.deepEqual(
        (await store.revisions.list()).map(({ number }) => number),
        [1],
      )
    })

    test('13.9 a later start serves the active revision, whatever the files contain', async () => {
      const process = await open(configure(['OF_THE_FILES']))
      assert.equal(process.hasMadeRevision, false)
      assert.match((await process.call('OF_THE_FILES')).text, /was not found/)
      assert.match((await process.call('FIRST')).text, /^run/)
    })

    test('13.6 every response has its revision: those of operations, refusals, the health check and refusals of the edge', async () => {
      const [process] = opened
      assert(process)
      const answers = [
        await process.call('FIRST'),
        await process.call('NONE'),
        await send(process.url, 'GET /healthz'),
        await send(process.url, `GET /${'x'.repeat(9_000)}`),
        await send(process.url, 'GET /elsewhere'),
      ]
      assert.deepEqual(
        answers.map(({ status, headers }) => [status, headers['ig-revision']]),
        [
          [200, '1'],
          [200, '1'],
          [200, '1'],
          [414, '1'],
          [404, '1'],
        ],
      )
    })

    test('13.7, 13.13 every process serves a new revision; cached responses are kept except those of changed operations', async () => {
      const [one, other] = opened
      assert(one && other)
      await inForce(await add(store, configure(['FIRST', 'KEPT'])))
      const first = await one.call('FIRST', 'cached')
      const kept = await one.call('KEPT', 'cached')
      const base = configure(['FIRST', 'KEPT', 'NEW'])
      const change = (operation: Configuration['operations'][number]) =>
        operation.name === 'FIRST' ? { ...operation, description: 'another' } : operation
      const number = await add(store, { ...base, operations: base.operations.map(change) })
      await inForce(number)
      for (const process of [one, other]) {
        const answer = await process.call('NEW')
        assert.match(answer.text, /^run/)
        assert.equal(answer.headers['ig-revision'], String(number))
      }
      const again = await one.call('KEPT')
      assert.deepEqual([again.text, again.headers['ig-revision']], [kept.text, String(number)])
      assert.notEqual((await one.call('FIRST')).text, first.text)
      await one.event('revisionActivated')
    })

    test('13.7 one revision answers a call from start to end', async () => {
      const [process] = opened
      assert(process)
      await inForce(await add(store, configure(['FIRST', 'LATE'])))
      const number = process.gateway.catalog.revision
      const { promise, resolve } = Promise.withResolvers<void>()
      gates.set('late', promise)
      const begun = runs
      const slow = process.call('LATE', 'gate=late&url=1')
      while (runs === begun) await new Promise(setImmediate)
      await inForce(await add(store, configure(['FIRST'])))
      resolve()
      const answer = await slow
      assert.match(answer.text, /LATE\.v1/)
      assert.equal(answer.headers['ig-revision'], String(number))
      assert.match((await process.call('LATE')).text, /was not found/)
    })

    test('13.7 no call is dropped or refused while revisions change', async () => {
      const [process] = opened
      assert(process)
      let isOver = false
      const seen = new Set<string | undefined>()
      const stream = async () => {
        while (!isOver) {
          const { status, text, headers } = await process.call('FIRST')
          assert.deepEqual([status, text.slice(0, 3)], [200, 'run'])
          seen.add(headers['ig-revision'])
        }
      }
      const streams = [stream(), stream(), stream()]
      for (const names of [['FIRST', 'A'], ['FIRST', 'B'], ['FIRST']]) {
        await inForce(await add(store, configure(names)))
        await process.call('FIRST')
      }
      isOver = true
      await Promise.all(streams)
      assert.ok(seen.size >= 3)
    })

    test('13.8 a process without the code of a handler keeps the previous revision, and says why; others continue', async () => {
      const lacking = await open(configure(['FIRST']), async (configuration) =>
        configuration.operations.every(({ name }) => name !== 'ELSEWHERE')
          ? { handlers }
          : { problems: [{ path: 'operations[1].handler', message: 'names a file that does not exist: probe.ts' }] },
      )
      const before = lacking.gateway.catalog
      const others = opened.filter((process) => process !== lacking)
      const number = await add(store, configure(['FIRST', 'ELSEWHERE']))
      const refused = await lacking.event('revisionRefused')
      assert.deepEqual(refused, {
        kind: 'event',
        level: 'error',
        name: 'revisionRefused',
        message: `Revision ${number} is active, but this process cannot serve it and serves revision ${before.revision}: operations[1].handler names a file that does not exist: probe.ts`,
      })
      assert.equal(lacking.gateway.catalog, before)
      const answer = await lacking.call('FIRST')
      assert.deepEqual([answer.status, answer.headers['ig-revision']], [200, String(before.revision)])
      await inForce(number, others)
      const next = await add(store, configure(['FIRST']))
      await inForce(next)
      assert.deepEqual(await conditionsOf(lacking), [])
    })

    test('13.16 a starting process serves the newest revision that it can, and says so', async () => {
      const before = await add(store, configure(['FIRST', 'KEPT']))
      for (const names of [
        ['FIRST', 'ELSEWHERE'],
        ['FIRST', 'ELSEWHERE', 'KEPT'],
      ])
        await add(store, configure(names))
      const active = before + 2
      let isDeployed = false
      const process = await open(configure(['FIRST']), async (configuration) =>
        isDeployed || configuration.operations.every(({ name }) => name !== 'ELSEWHERE')
          ? { handlers }
          : { problems: [{ path: 'operations[1].handler', message: 'names a file that does not exist: probe.ts' }] },
      )
      const answer = await process.call('KEPT')
      assert.deepEqual([answer.status, answer.headers['ig-revision']], [200, String(before)])
      const stands = `Revision ${active} is active, but this process cannot serve it and serves revision ${before}`
      const reason = 'operations[1].handler names a file that does not exist: probe.ts'
      await process.event('revisionRefused', `${stands}: ${reason}`)
      const detail = `${stands}. The log has the reason (revisionRefused).`
      assert.deepEqual(await conditionsOf(process), [{ name: 'revisionRefused', isReady: true, detail }])
      const { ig_revision_served, ig_revision_active } = watchGateway(process.gateway).gauges?.() ?? {}
      assert.deepEqual([ig_revision_served, ig_revision_active], [before, active])

      isDeployed = true // its follower tries again by itself
      await inForce(await add(store, configure(['FIRST', 'ELSEWHERE', 'LATE'])), [process])
      assert.deepEqual(await conditionsOf(process), [])
      await inForce(await add(store, configure(['FIRST'])))
    })

    test('13.16 a start that can serve neither the active revision nor an earlier one is refused', async () => {
      const refusing: FindHandlers = async () => ({ problems: [{ path: 'operations[0].handler', message: 'is gone' }] })
      await assert.rejects(open(configure(['FIRST']), refusing), (error) => {
        assert.ok(error instanceof RevisionProblems)
        assert.deepEqual(error.problems, [{ path: 'operations[0].handler', message: 'is gone' }])
        return true
      })
    })

    test('13.6, 13.9 a gateway that serves files sends no revision and creates none', async () => {
      const count = (await store.revisions.list()).length
      const settings = readTestSettings(import.meta.dirname, { 'ig.database': place.url })
      const project = { configuration: configure(['OF_THE_FILES']), handlers, migrations: [] }
      const gateway = await openServed({ project, settings })
      const answer = await gateway.call('GET OF_THE_FILES.v1/')
      await gateway.close()
      assert.equal(answer.status, 200)
      assert.ok(!('ig-revision' in answer.headers))
      assert.equal((await store.revisions.list()).length, count)
    })

    test('13.7 a thousand activations do not change heap and open files', async () => {
      const names = Array.from({ length: 50 }, (_, index) => `NAME_${index}`)
      const numbers = [await add(store, configure(names)), await add(store, configure(names.toReversed()))]
      const parts = {
        store,
        settings: { authorizationServer: undefined, jsonWebKey: undefined, secretKey: undefined },
        findHandlers: async () => ({ handlers }),
      }
      const gateway = { catalog: await openRevision(numbers[0] ?? 0, parts), observe() {}, condition: {} }
      const follower = followRevisions(gateway, parts)
      const activate = async (times: number) => {
        for (let sequence = 0; sequence < times; sequence += 1) {
          const revision = numbers[sequence % 2] ?? 0
          follower.follow({ sequence, revision, time: 0, note: '' })
          await follower.settled()
          assert.equal(gateway.catalog.revision, revision)
        }
        collectGarbage()
        const files = process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0
        return { heap: process.memoryUsage().heapUsed, files }
      }
      const early = await activate(200)
      const late = await activate(800)
      assert.ok(late.heap - early.heap < 2_000_000, `heap grew by ${late.heap - early.heap} bytes`) // 800 catalogs: 60 MB
      assert.ok(late.files <= early.files + 2, `${early.files} files became ${late.files}`)
    })
  })
})

test('13.8 handlers that only the revision names are loaded once from the project folder', async () => {
  const folder = join(import.meta.dirname, '../../examples/reference')
  const find = openHandlers({ folder, handlers: new Map([['probe.ts', Probe]]) })
  const base = configure(['FIRST', 'SECOND'])
  const withHandlers = (...references: readonly string[]): Configuration => ({
    ...base,
    operations: base.operations.map((operation, index) => ({ ...operation, handler: references[index] ?? '' })),
  })
  const found = await find(withHandlers('probe.ts', 'handlers/echo.ts#Echo'))
  assert.ok('handlers' in found)
  assert.equal(found.handlers.get('probe.ts'), Probe)
  assert.equal(found.handlers.get('handlers/echo.ts#Echo')?.name, 'Echo')
  assert.deepEqual(await find(withHandlers('handlers/ecko.ts', 'handlers/echo.ts#Ecko')), {
    problems: [
      {
        path: 'operations[0].handler',
        message: 'names a file that does not exist: handlers/ecko.ts; did you mean echo.ts?',
      },
      {
        path: 'operations[1].handler',
        message: 'names an export that handlers/echo.ts does not have: Ecko; did you mean Echo?',
      },
    ],
  })
})
