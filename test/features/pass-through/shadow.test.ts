/** Handlers that run beside the other server (specification 36.15 to 36.17), on both databases. */
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { parseConfiguration } from '../../../src/configuration/parse-configuration.ts'
import { passThrough } from '../../../src/features/pass-through/author.ts'
import { openPassing } from '../../../src/features/pass-through/pass-through.ts'
import { openShadowRows } from '../../../src/features/pass-through/rows.ts'
import type { HandlerContext } from '../../../src/sdk.ts'
import { openTestAdmin } from '../../support/admin.ts'
import { databases, findDatabase } from '../../support/databases.ts'
import { referenceFolder } from '../../support/gateway.ts'
import { type Original, openOriginal } from '../../support/original.ts'
import { patience } from '../../support/patience.ts'
import { openPlanned, type PlannedGateway } from '../../support/planned.ts'
import { poll } from '../../support/poll.ts'
import { runVerb } from '../../support/run-verb.ts'

for (const database of databases)
  suite(`shadow (${database.name})`, () => {
    let original: Original
    let gateway: PlannedGateway
    let runs = 0
    before(async () => {
      original = await openOriginal()
      original.answer = (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.write('{"title":"Engineer",') // in chunks, as pages of the original are
        response.end('"password":"old","read":"2026-11-24T08:00:00Z"}')
      }
      const shadow = passThrough(original.url, { shadow: 'handlers/planned.ts', shadowUnsafe: true })
      gateway = await openPlanned({ database, fields: { handler: shadow as never } })
      const { condition } = gateway.gateway
      const opened = condition.storeReadAt
      await poll(() => condition.storeReadAt !== opened) // stored times are checked then, and a shadow gives way to that
    })
    after(async () => {
      await gateway?.close()
      original?.close()
    })
    const write = ({ database: tables, transactionId }: HandlerContext) =>
      tables
        .insertInto('C_KEY_VALUE')
        .values({
          IBTRANSACTIONID: transactionId,
          KEY1: 'shadow',
          LONGVALUE: '',
          ADD_DTTM: '2026-01-01 00:00:00',
        })
        .execute()
    const plan = (title: string, act: (context: HandlerContext) => unknown = () => {}) => {
      gateway.plan = async (response, request, context) => {
        runs += 1
        await act(context)
        response.contentType = 'application/json'
        response.setJson({
          read: '2026-11-25T08:00:00Z',
          title,
          password: 'new',
          body: (await request.getContentString()) || undefined,
        })
        response.setRestCache(new Date(Date.now() + 60_000))
      }
    }
    const found = async () => {
      await gateway.gateway.shared.part(openPassing).shadows.settled()
      return Object.fromEntries(
        (await openShadowRows(gateway.gateway.store.databases).list()).map((row) => [row.operation, row]),
      )
    }

    test(`36.15, 36.16, 36.17 the other server answers; the shadow is compared, places are kept and no values, its writes are rolled back, and the cache is not used (${database.name})`, async () => {
      plan('engineer', async (context) => {
        await write(context)
        await context.fetch('https://original.example').catch(() => {})
        context.afterCommit(() => assert.fail('a shadow has no commit'))
      })
      const answer = await gateway.ask('GET ?password=word&a=1')
      assert.match(answer.text, /"Engineer"/)
      const { PLANNED_GET: row } = Object.fromEntries(
        Object.entries(await found()).map(([name, value]) => [name.replace('.v1', ''), value]),
      )
      assert.deepEqual([row?.calls, row?.differ, row?.notRun], [1, 1, 0])
      assert.deepEqual(row?.differing[0]?.differences, ['/title', '/password'])
      assert.match(row?.differing[0]?.call ?? '', /^GET \/PSIGW.*\?password=\[redacted\]&a=1$/)
      assert.equal(row?.differing[0]?.transactionId, answer.headers['ig-transaction-id'])
      assert.deepEqual(row?.outside, ['context.fetch', 'context.afterCommit, which a shadow does not run'])
      const counted = gateway.observations.filter((one) => one.kind === 'event' && one.name.startsWith('shadow'))
      assert.deepEqual(
        counted.map((one) => one.kind === 'event' && one.name),
        ['shadowOutside', 'shadowOutside', 'shadowDiffers'],
      )
      assert.doesNotMatch(JSON.stringify([counted, row]), /engineer/i)
      await gateway.ask('GET ?password=word&a=1')
      assert.equal((await found())['PLANNED_GET.v1']?.calls, 2)
      assert.equal(runs, 2)
      const rows = await gateway.call('GET KEY_VALUE.v1/shadow', {
        headers: { authorization: 'Basic REVNTzpkZW1vLXBhc3N3b3Jk' },
      })
      assert.doesNotMatch(rows.text, /<row>/)
    })

    test(`36.15, 36.16 a body reaches both; a shadow that fails differs, and the call does not notice (${database.name})`, async () => {
      plan('x', () => {
        throw new Error('not yet written')
      })
      const answer = await gateway.ask('POST', { body: 'text', headers: { 'content-type': 'text/plain' } })
      assert.deepEqual([answer.status, original.requests.at(-1)?.body.toString()], [200, 'text'])
      const row = (await found())['PLANNED_POST.v1']
      assert.deepEqual(row?.differing[0]?.differences, ['answer (handlerFailed)'])
    })

    if (database.name === 'SQLite')
      test('36.15 a shadow gives way to a call that waits for the writer', async () => {
        const { store } = gateway.gateway
        const open = () => store.openHandlerTransaction({ wait: patience, signal: new AbortController().signal })
        const holder = open()
        const asked = Promise.withResolvers<HandlerContext>()
        const abandoned = Promise.withResolvers<void>()
        plan('Engineer', async (context) => {
          await write(context)
          asked.resolve(context)
          await new Promise((_, reject) =>
            context.signal.addEventListener('abort', () => reject(context.signal.reason)),
          )
        })
        gateway.plan = (
          (planned) =>
          async (...all) => {
            try {
              return await planned(...all)
            } finally {
              abandoned.resolve()
            }
          }
        )(gateway.plan)
        await gateway.ask('PUT')
        await asked.promise // it holds the writer
        await holder.database.deleteFrom('C_KEY_VALUE').where('KEY1', '=', 'none').execute() // and a call waits
        await abandoned.promise
        await holder.rollback()
        const row = (await found())['PLANNED_PUT.v1']
        assert.deepEqual([row?.calls, row?.notRun], [0, 1])
      })

    test(`36.15 a shadow whose answer does not end is broken off, and holds up no stop (${database.name})`, async () => {
      const begun = Promise.withResolvers<void>()
      gateway.plan = (response) =>
        response.setContentStream(
          (async function* () {
            yield 'one'
            begun.resolve()
            await new Promise(() => {})
          })(),
        )
      await gateway.ask('PUT')
      await begun.promise
      const { shadows } = gateway.gateway.shared.part(openPassing)
      await shadows.close()
      assert.equal((await found())['PLANNED_PUT.v1']?.calls, 0)
    })
  })

test('36.17, 31.8 the administration API and ig shadow show what was found, and forget it, ig after a question', async (t) => {
  const { ask, opened } = await openTestAdmin(t, { database: findDatabase('SQLite') })
  const { store, settings } = opened.gateway
  const rows = openShadowRows(store.databases)
  const differing = [{ time: 0, transactionId: 'one', call: 'GET /x', differences: ['/title'] }]
  await rows.add('ECHO_GET.v1', {
    calls: 1200,
    differ: 2,
    notRun: 0,
    differing,
    outside: ['context.fetch'],
    leftOut: ['request x-a'],
  })
  await rows.add('ECHO_GET.v1', {
    calls: 4,
    differ: 1,
    notRun: 1,
    differing: [],
    outside: [],
    leftOut: ['request x-a', 'response x-b'],
  })
  const row = {
    operation: 'ECHO_GET.v1',
    calls: 1204,
    differ: 3,
    notRun: 1,
    outside: ['context.fetch'],
    leftOut: ['request x-a', 'response x-b'],
  }
  const { body } = await ask('GET /api/shadows', { as: 'viewer' })
  assert.deepEqual(body.items, [{ ...row, differing: [{ ...differing[0], time: '1970-01-01T00:00:00.000Z' }] }])
  const env = { ...process.env, IG_DATABASE: settings.database }
  const ig = (...args: readonly string[]) => runVerb(args, { cwd: referenceFolder, env, input: '' })
  const { stdout } = await ig('shadow', 'list')
  assert.match(stdout, /^ECHO_GET\.v1: 1,204 calls, 3 differ, 1 not compared$/m)
  assert.match(stdout, /^ +\/title$/m)
  assert.match(
    (await ig('shadow', 'forget', 'OTHER_GET.v1')).stderr,
    /there is no "OTHER_GET\.v1": ig shadow list has all/,
  )
  const asked = /^ig: Forget the calls of ECHO_GET\.v1 that were compared\? No one can be asked here: add --yes\.$/m
  assert.match((await ig('shadow', 'forget', 'ECHO_GET.v1')).stderr, asked)
  assert.equal((await rows.list()).length, 1)
  assert.match((await ig('shadow', 'forget', 'ECHO_GET.v1', '--yes')).stdout, /starts again/)
  assert.deepEqual(await rows.list(), [])
})

test('36.15 a shadow is for GET and HEAD, unless shadowUnsafe is set, and names a module of the project', () => {
  const problemsOf = (method: string, options: object) => {
    const handler = passThrough('https://original.example', options)
    const parsed = parseConfiguration({
      nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }],
      services: [{ name: 'S' }],
      operations: [{ service: 'S', name: 'PASSED', method, verification: 'Basic', handler }],
    })
    return 'problems' in parsed ? parsed.problems.map(({ path, message }) => `${path} ${message}`) : []
  }
  assert.deepEqual(problemsOf('GET', { shadow: 'handlers/job.ts#Job' }), [])
  assert.deepEqual(problemsOf('POST', { shadow: 'handlers/job.ts', shadowUnsafe: true }), [])
  assert.match(
    problemsOf('POST', { shadow: 'handlers/job.ts' })[0] ?? '',
    /handler\.shadow is for GET and HEAD; for POST add/,
  )
  assert.match(problemsOf('GET', { shadow: '../job.ts' })[0] ?? '', /handler\.shadow must stay in the project folder/)
})
