/** What surrounds a handler: work after its commit, settings and resources (specification 5.42 to 5.47). */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import {
  defineResource,
  defineSettings,
  type Handler,
  type HandlerContext,
  type RequestMessage,
  type ResourceContext,
} from 'integration-gateway'
import { openTestGateway } from 'integration-gateway/testing'
import { answer } from '../../src/gateway.ts'
import { openHandlerSettings } from '../../src/settings/handler-settings.ts'
import { Resources } from '../../src/steps/handler/resources.ts'
import { forTrial } from '../../src/steps/handler/shared-parts.ts'
import { makeTestCall } from '../../src/testing/test-call.ts'
import { basic } from '../support/client.ts'
import { findDatabase } from '../support/databases.ts'
import { openReference, root, type WireGateway } from '../support/gateway.ts'
import { scaled } from '../support/patience.ts'

type Work = (context: HandlerContext) => unknown
/** What the handler does, by the path's last segment. */
const works = new Map<string, Work>()

class Sample implements Handler {
  async onRequest(request: RequestMessage, context: HandlerContext) {
    const response = context.broker.createMessage(request.operationName, 'response')
    const { parameter1 = '' } = request.getUriDocument()
    response.setContentString(String(await works.get(String(parameter1))?.(context)))
    if (parameter1 === 'refused') response.httpResponseCode = 409
    return response
  }
}

const properties = { 'ig.limits.handlerTimeout': `${scaled(2000)}ms`, 'ig.limits.shutdownGrace': `${scaled(300)}ms` }
const open = () =>
  openReference({
    database: findDatabase('SQLite'),
    properties,
    handlers: { 'handlers/sample.ts': Sample },
    configure: (configuration) => {
      const [model] = configuration.operations.filter(({ name }) => name === 'ECHO')
      assert(model)
      const sample = { ...model, name: 'SAMPLE', alias: 'SAMPLE', handler: 'handlers/sample.ts' }
      return { ...configuration, operations: [...configuration.operations, sample] }
    },
  })
const ask = (gateway: WireGateway, name: string, work: Work) => {
  works.set(name, work)
  return gateway.call(`GET SAMPLE.v1/echo/${name}`, { headers: basic('DEMO') })
}
const notesOf = (gateway: WireGateway, pattern: RegExp) =>
  gateway.observations.filter((one) => one.kind !== 'answered' && pattern.test(one.message))

suite('around handlers', () => {
  let gateway: WireGateway
  before(async () => {
    gateway = await open()
  })
  after(() => gateway.close())

  test('5.42 work after the commit runs in order, and the response does not wait for it', async () => {
    const gate = Promise.withResolvers<void>()
    const done: string[] = []
    let context: HandlerContext | undefined
    const { status } = await ask(gateway, 'ordered', (given) => {
      context = given
      given.afterCommit(async () => {
        await gate.promise
        done.push('first')
      })
      given.afterCommit(() => {
        throw new Error('the second fails')
      })
      given.afterCommit(() => void done.push('third'))
    })
    assert.equal(status, 200)
    assert.deepEqual(done, [])
    gate.resolve()
    await gateway.gateway.shared.afterCommit.settled()
    assert.deepEqual(done, ['first', 'third'])
    const [note] = notesOf(gateway, /Work after the commit failed \(2 of 3\)/)
    assert(note?.kind === 'note' && note.level === 'error')
    assert.equal((note.error as Error).message, 'the second fails')
    assert.equal(note.transaction?.operation?.id, 'SAMPLE_GET.v1')
    assert.throws(() => context?.afterCommit(() => {}), /commit has begun/)
  })

  test("5.42 the handler's writes are committed before its work runs", async () => {
    const gate = Promise.withResolvers<readonly unknown[]>()
    const { status } = await ask(gateway, 'committed', async (context) => {
      const { database, transactionId: IBTRANSACTIONID } = context
      const row = { IBTRANSACTIONID, KEY1: '5.42', LONGVALUE: 'x', ADD_DTTM: '2026-01-01 00:00:00' }
      await database.insertInto('C_KEY_VALUE').values(row).execute()
      context.afterCommit(async () => {
        await assert.rejects(database.selectFrom('C_KEY_VALUE').selectAll().execute(), /ended/)
        const transaction = gateway.gateway.store.openHandlerTransaction({ wait: 1000, signal: context.signal })
        const rows = transaction.database.selectFrom('C_KEY_VALUE').select('KEY1').where('KEY1', '=', '5.42')
        gate.resolve(await rows.execute())
        await transaction.rollback()
      })
    })
    assert.equal(status, 200)
    assert.equal((await gate.promise).length, 1)
  })

  for (const [name, work] of Object.entries({
    refused: (context: HandlerContext) => context.afterCommit(() => assert.fail('it ran')),
    thrown: (context: HandlerContext) => {
      context.afterCommit(() => assert.fail('it ran'))
      throw new Error('broken')
    },
  })) {
    test(`5.42 no work runs after a rollback: ${name}`, async () => {
      const { status } = await ask(gateway, name, work)
      assert(status >= 400)
      await gateway.gateway.shared.afterCommit.settled()
      assert.deepEqual(notesOf(gateway, /it ran/), [])
    })
  }

  test('5.42 a trial leaves out work after its commit, and reports it', async () => {
    works.set('tried', (context) => context.afterCommit(() => assert.fail('it ran')))
    const { gateway: parts } = gateway
    const call = makeTestCall('GET', `${root}/SAMPLE.v1/echo/tried`, { headers: basic('DEMO') }, parts.settings.limits)
    const reply = await answer(call, forTrial(parts))
    await call.close()
    assert.equal(reply.status, 200)
    assert.equal(notesOf(gateway, /A trial: the work after the commit is not done \(1\)/).length, 1)
  })

  test('5.42 work that exceeds the time limit is aborted and logged', async () => {
    const brief = await openReference({
      database: findDatabase('SQLite'),
      properties: { 'ig.limits.handlerTimeout': `${scaled(100)}ms` },
      handlers: { 'handlers/sample.ts': Sample },
      configure: (configuration) => ({
        ...configuration,
        operations: configuration.operations.map((operation) =>
          operation.name === 'ECHO' ? { ...operation, handler: 'handlers/sample.ts' } : operation,
        ),
      }),
    })
    try {
      let signal: AbortSignal | undefined
      works.set('slow', (context) => {
        context.afterCommit(() => {
          signal = context.signal
          return new Promise<void>(() => {})
        })
        context.afterCommit(() => assert.fail('it ran'))
      })
      await brief.call('GET ECHO.v1/echo/slow', { headers: basic('DEMO') })
      await brief.gateway.shared.afterCommit.settled()
      assert.equal(signal?.aborted, true)
      assert.equal(notesOf(brief, /Work after the commit failed \(1 of 2\)/).length, 1)
      assert.equal(notesOf(brief, /it ran/).length, 0)
    } finally {
      await brief.close()
    }
  })

  test('5.42 shutdown waits for work after commits, and cuts off what exceeds the grace time', async () => {
    const stopped = await open()
    const gate = Promise.withResolvers<void>()
    let isDone = false
    await ask(stopped, 'awaited', (context) =>
      context.afterCommit(async () => {
        await gate.promise
        isDone = true
      }),
    )
    const closing = stopped.close()
    gate.resolve()
    await closing
    assert.equal(isDone, true)

    const cut = await open()
    let signal: AbortSignal | undefined
    await ask(cut, 'endless', (context) => {
      signal = context.signal
      context.afterCommit(() => new Promise<void>(() => {}))
    })
    await cut.close()
    assert.equal(signal?.aborted, true)
    assert.equal(notesOf(cut, /cut off by the stop/).length, 1)
  })
})

test('5.43, 5.45 calls of a process share a resource, which shutdown closes after them; both get settings', async () => {
  const settings = defineSettings({ greeting: { variable: 'AROUND_GREETING', default: 'hello' } })
  const events: string[] = []
  const shared = defineResource({
    openAt: 'start',
    open: async ({ setting }) => {
      events.push('open')
      return setting(settings.greeting)
    },
    close: () => void events.push('close'),
  })
  const gateway = await open()
  assert.deepEqual(events, ['open'], 'before the first call')
  const answers = await Promise.all(
    ['one', 'two'].map((name) =>
      ask(gateway, name, async ({ resource, setting, afterCommit }) => {
        afterCommit(async () => void events.push(await resource(shared)))
        return `${await resource(shared)} ${setting(settings.greeting)}`
      }),
    ),
  )
  assert.deepEqual(
    answers.map(({ text }) => text),
    ['hello hello', 'hello hello'],
  )
  await gateway.close()
  assert.deepEqual(events, ['open', 'hello', 'hello', 'close'])
  await using kit = await openTestGateway({
    project: {
      configuration: {
        nodes: [{ name: 'HERE', isDefaultLocal: true }],
        services: [{ name: 'S' }],
        operations: [{ service: 'S', name: 'SAMPLE', method: 'GET', verification: 'Basic', handler: 'greet.ts' }],
        permissionLists: [{ name: 'ALL', services: ['S'] }],
      },
      handlers: {
        'greet.ts': class {
          onRequest(request: RequestMessage, { broker, setting }: HandlerContext) {
            const response = broker.createMessage(request.operationName, 'response')
            response.setContentString(setting(settings.greeting))
            return response
          }
        },
      },
    },
    operators: [{ id: 'ANN', permissionLists: ['ALL'] }],
    variables: { AROUND_GREETING: 'salut' },
  })
  assert.equal((await kit.call('GET SAMPLE.v1/', { as: 'ANN' })).text, 'salut')
})

const clocked = (clock = () => 0) => {
  const events: string[] = []
  const resources = new Resources({
    observe: (one) => one.kind === 'event' && void events.push(`${one.name}: ${one.message}`),
    context: (signal) => ({ signal }) as ResourceContext,
    clock,
  })
  return { resources, events }
}

suite('resources', () => {
  test('5.45 concurrent first uses share one call of open; shutdown closes the resource', async () => {
    let openings = 0
    const closed: unknown[] = []
    const pool = defineResource({ open: async () => ++openings, close: (value) => void closed.push(value) })
    const { resources } = clocked()
    assert.deepEqual(await Promise.all([resources.get(pool), resources.get(pool)]), [1, 1])
    assert.equal(await resources.get(pool), 1)
    await resources.close(1000)
    assert.deepEqual(closed, [1])
    await assert.rejects(resources.get(defineResource({ open: () => 1, close() {} })), /stopping/)
  })

  test('5.45 after a failure each use within a second gets the same error, then the next one tries again', async () => {
    let time = 0
    let attempts = 0
    const away = defineResource({
      name: 'the pool',
      open: () => {
        attempts += 1
        if (attempts < 3) throw new Error(`attempt ${attempts}`)
        return 'open'
      },
      close() {},
    })
    const { resources, events } = clocked(() => time)
    await assert.rejects(resources.get(away), /attempt 1/)
    time = 999
    await assert.rejects(resources.get(away), /attempt 1/)
    time = 1000
    await assert.rejects(resources.get(away), /attempt 2/)
    time = 2000
    assert.equal(await resources.get(away), 'open')
    assert.deepEqual(events, [
      'resourceFailed: The resource the pool could not be opened; each use tries again.',
      'resourceOpened: The resource the pool is open again.',
    ])
  })

  test('5.45, 5.46 opening for more than ten seconds fails, and the late value is closed', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const late = Promise.withResolvers<string>()
    const closed = Promise.withResolvers<string>()
    let signal: AbortSignal | undefined
    const slow = defineResource({
      open: (context) => {
        signal = context.signal
        return late.promise
      },
      close: closed.resolve,
    })
    const { resources } = clocked()
    const opening = resources.get(slow)
    t.mock.timers.tick(10_000)
    await assert.rejects(opening, /did not open within 10 seconds/)
    assert.equal(signal?.aborted, true)
    late.resolve('late')
    assert.equal(await closed.promise, 'late')
  })

  test('5.46 the last opened is closed first; one that hangs or throws is logged and abandoned', async () => {
    const closed: string[] = []
    const first = defineResource({ name: 'first', open: () => 'first', close: (value) => void closed.push(value) })
    const bad = defineResource({
      name: 'bad',
      open: () => 'bad',
      close: (value) => {
        closed.push(value)
        throw new Error('no')
      },
    })
    const { resources, events } = clocked()
    await resources.get(first)
    await resources.get(bad)
    await resources.close(1000)
    assert.deepEqual(closed, ['bad', 'first'])
    assert.deepEqual(events, ['resourceNotClosed: The resource bad could not be closed.'])

    const other = clocked()
    await other.resources.get(first)
    await other.resources.get(
      defineResource({ name: 'stuck', open: () => 1, close: () => new Promise<void>(() => {}) }),
    )
    await other.resources.close(700.25)
    const why = 'Not closed within 200 ms: stuck. The process ends without it.'
    assert.deepEqual(other.events, [`resourceNotClosed: ${why}`], 'the rest of the time is for the store')
    assert.deepEqual(closed, ['bad', 'first', 'first'])
  })

  test('5.47 /readyz is not ready while a required resource is not open or its check fails, without the reason', async () => {
    let fault: string | undefined = 'the password is wrong'
    let time = 0
    let closings = 0
    const required = defineResource({
      name: 'required',
      isRequired: true,
      open: () => {
        if (fault) throw new Error(fault)
        return 'open'
      },
      close: () => void closings++,
      check: () => {
        if (fault) throw new Error(fault)
      },
    })
    const { resources } = clocked(() => time)
    const away = /^A resource that handlers need is not available/
    const turn = () => new Promise(setImmediate)
    await resources.openAtStart()
    assert.match(resources.trouble ?? '', away)
    assert.doesNotMatch(resources.trouble ?? '', /password/)
    fault = undefined
    time = 1000
    assert.match(resources.trouble ?? '', away) // asks for the next attempt
    await turn()
    assert.equal(resources.trouble, undefined)
    fault = 'gone'
    time = 6000
    assert.equal(resources.trouble, undefined)
    await turn()
    assert.match(resources.trouble ?? '', away)
    fault = undefined
    time = 7000
    assert.match(resources.trouble ?? '', away)
    await turn()
    assert.equal(resources.trouble, undefined)
    assert.equal(await resources.get(required), 'open')

    const gateway = await open()
    try {
      const ready = await gateway.call('GET /readyz')
      assert.deepEqual([ready.status, JSON.parse(ready.text).status], [200, 'ready'])
      fault = 'gone for good'
      await gateway.restart()
      const unready = await gateway.call('GET /readyz')
      assert.deepEqual([unready.status, JSON.parse(unready.text).status], [503, 'resourceAway'])
      assert.doesNotMatch(unready.text, /gone/)
      assert.equal(closings, 1, 'by the restart')
    } finally {
      fault = undefined
      await gateway.close()
    }
  })
})

suite('settings of handlers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ig-settings-'))
  after(() => rmSync(folder, { recursive: true }))
  const settings = defineSettings({
    url: { variable: 'SAMPLE_URL', isRequired: false },
    limit: { variable: 'SAMPLE_LIMIT', isSecret: false, default: '20', parse: readWhole },
    hidden: { variable: 'SAMPLE_HIDDEN', isRequired: false, parse: readWhole },
  })

  function readWhole(text: string): number {
    if (!/^\d+$/.test(text)) throw new Error(`${text} is not a whole number`)
    return Number(text)
  }

  test('5.43 a setting is read from its variable, from the file of <variable>_FILE, or has its default', () => {
    const file = join(folder, 'url')
    writeFileSync(file, 'http://from.file\n')
    assert.equal(openHandlerSettings({ SAMPLE_URL: 'http://x' }).value(settings.url), 'http://x')
    assert.equal(openHandlerSettings({ SAMPLE_URL_FILE: file }).value(settings.url), 'http://from.file')
    assert.equal(openHandlerSettings({ SAMPLE_URL: 'http://x', SAMPLE_URL_FILE: file }).value(settings.url), 'http://x')
    assert.equal(openHandlerSettings({ SAMPLE_URL: '' }).value(settings.url), undefined)
    assert.equal(openHandlerSettings({}).value(settings.limit), 20)
    assert.equal(openHandlerSettings({ SAMPLE_LIMIT: '7' }).value(settings.limit), 7)
  })

  test('5.43, 5.44 a malformed setting is an error that quotes no secret', () => {
    const malformed = openHandlerSettings({
      SAMPLE_LIMIT: 'many',
      SAMPLE_HIDDEN: 'tr0ub4dor',
      SAMPLE_URL_FILE: join(folder, 'none'),
    })
    const own = malformed.problems().filter(({ path }) => path.startsWith('SAMPLE_'))
    assert.deepEqual(own, [
      { path: 'SAMPLE_HIDDEN', message: 'is malformed' },
      { path: 'SAMPLE_LIMIT', message: 'is malformed: many is not a whole number' },
      { path: 'SAMPLE_URL', message: 'cannot be read from SAMPLE_URL_FILE: there is no such file' },
    ])
    assert.throws(() => malformed.value(settings.hidden), {
      message: 'The setting SAMPLE_HIDDEN is malformed',
    })
    assert.doesNotMatch(JSON.stringify(malformed), /tr0ub4dor/)
  })

  test('5.43 the list of settings has no values', () => {
    const listed = openHandlerSettings({ SAMPLE_URL: 'http://x' }).list()
    assert.deepEqual(
      listed.filter(({ variable }) => variable.startsWith('SAMPLE_')),
      [
        { variable: 'SAMPLE_HIDDEN', isSecret: true, isSet: false, source: undefined },
        { variable: 'SAMPLE_LIMIT', isSecret: false, isSet: true, source: 'default' },
        { variable: 'SAMPLE_URL', isSecret: true, isSet: true, source: 'SAMPLE_URL' },
      ],
    )
  })

  for (const variable of ['IG_PORT', 'PGPASSWORD', 'NODE_OPTIONS', 'OTEL_X', 'lower', 'HR URL', 'HR_URL_FILE', ''])
    test(`5.43 the name ${JSON.stringify(variable)} is refused at its declaration`, () => {
      assert.throws(() => defineSettings({ one: { variable } }), { name: 'TypeError', message: /cannot be a setting/ })
    })

  test('5.43 only a setting of defineSettings is read', () => {
    const forged = { variable: 'PATH' } as never
    assert.throws(() => openHandlerSettings({ PATH: '/' }).value(forged), /takes a setting that defineSettings made/)
  })
})
