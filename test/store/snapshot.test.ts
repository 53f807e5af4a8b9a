/** What streams of handlers read from the database (specification 5.32 to 5.34). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, suite, test } from 'node:test'
import { setImmediate as breathe } from 'node:timers/promises'
import { sql } from 'kysely'
import type { AnsweredCall } from '../../src/model/call-record.ts'
import type { HandlerContext, HandlerDatabase, ResponseMessage } from '../../src/sdk.ts'
import { basic } from '../support/client.ts'
import { forEachDatabase, runOutside } from '../support/databases.ts'
import { signalled } from '../support/edge.ts'
import { root } from '../support/gateway.ts'
import { openPlanned, type PlannedGateway } from '../support/planned.ts'
import { openRawSocket } from '../support/raw-socket.ts'

const rows = (database: HandlerDatabase, key: string) =>
  database.selectFrom('C_KEY_VALUE').select('LONGVALUE').where('KEY1', '=', key).orderBy('ROW_NBR')

const write = (database: HandlerDatabase, key: string, values: readonly string[]) => {
  const columns = ['IBTRANSACTIONID', 'KEY1', 'LONGVALUE', 'ADD_DTTM']
  const time = '2026-11-23 00:00:00.000000'
  return database.insertRows(
    'C_KEY_VALUE',
    columns,
    values.map((value) => ['0', key, value, time]),
  )
}

/** The text of an error, or of what there was instead. */
const attempt = (work: () => unknown) =>
  Promise.resolve()
    .then(work)
    .then(String, (error) => (error as Error).message)

const head = `GET ${root}/PLANNED.v1/ HTTP/1.1\r\nHost: a\r\nAuthorization: ${basic('DEMO').authorization}\r\n\r\n`

forEachDatabase((database) => {
  suite(`Snapshots (${database.name})`, () => {
    let gateway: PlannedGateway
    before(async () => {
      const memory = String(8 * 1024 ** 2)
      const properties = { 'ig.limits.streams': '1', 'ig.limits.memory': memory, 'ig.errorStyle': 'standard' }
      gateway = await openPlanned({ database, properties })
    })
    after(() => gateway.close())

    const stream = (work: (context: HandlerContext) => AsyncGenerator<string>) => {
      gateway.plan = (response: ResponseMessage, _request, context) => response.setContentStream(work(context))
    }
    const read = async () => {
      const { status, text } = await gateway.ask('GET')
      assert.equal(status, 200, text)
      return text
    }
    /** The connection of the last one may still be released. */
    const readAgain = async () => {
      for (;;) {
        const { status, text } = await gateway.ask('GET')
        if (status !== 503) return text
      }
    }

    test("5.30, 5.32 a handler's writes are committed before its stream is pulled, which reads them from the snapshot", async () => {
      const faults: string[] = []
      gateway.plan = async (response, _request, context) => {
        await write(context.database, 'own', ['written'])
        response.setContentStream(
          (async function* () {
            for await (const { LONGVALUE } of rows(context.snapshot, 'own').stream()) yield LONGVALUE
            const outside = `select "LONGVALUE" from "C_KEY_VALUE" where "KEY1" = 'own'`
            yield ` and ${JSON.stringify(await runOutside(gateway.settings.database, outside))}`
            faults.push(await attempt(() => rows(context.database, 'own').execute()))
          })(),
        )
      }
      assert.equal(await read(), 'written and [{"LONGVALUE":"written"}]')
      gateway.plan = async (response, _request, { snapshot }) => {
        faults.push(await attempt(() => rows(snapshot, 'own').execute()))
        response.setContentString('too early')
      }
      assert.equal(await read(), 'too early')
      assert.match(faults[0] ?? '', /a stream reads from context\.snapshot/)
      assert.match(faults[1] ?? '', /begins with the commit/)
    })

    test('5.32 a snapshot shows one state, whatever is written meanwhile', async () => {
      const [begun, written] = [signalled(), signalled()]
      stream(async function* ({ snapshot }) {
        yield String((await rows(snapshot, 'state').execute()).length)
        begun.resolve()
        await written.promise
        yield ` ${(await rows(snapshot, 'state').execute()).length}`
      })
      const reading = read()
      await begun.promise
      const body = '<request><row><key>state</key><value>new</value></row></request>'
      assert.equal((await gateway.call('POST KEY_VALUE.v1/', { headers: basic('DEMO'), body })).status, 200)
      written.resolve()
      assert.equal(await reading, '0 0')
      assert.equal(await read(), '1 1')
    })

    test('5.33 more snapshots than ig.limits.streams are overloaded before anything is sent or stored', async () => {
      const [begun, goOn] = [signalled(), signalled()]
      stream(async function* ({ snapshot }) {
        yield String((await rows(snapshot, 'full').execute()).length)
        begun.resolve()
        await goOn.promise
      })
      const first = read()
      await begun.promise
      gateway.plan = async (response, _request, context) => {
        await write(context.database, 'full', ['never'])
        const { snapshot } = context
        response.setContentStream(rows(snapshot, 'full').stream() as never)
      }
      const second = await gateway.ask('GET')
      assert.deepEqual([second.status, second.headers['ig-refusal']], [503, 'overloaded'])
      stream(async function* ({ snapshot }) {
        yield String((await rows(snapshot, 'full').execute()).length)
      })
      const opened = () => gateway.gateway.store.load().streams?.open
      assert.equal(opened(), 1)
      const late = await gateway.ask('GET')
      assert.deepEqual([late.status, late.headers['ig-refusal'], late.headers['retry-after']], [503, 'overloaded', '1'])
      goOn.resolve()
      assert.equal(await first, '0')
      assert.equal(opened(), 0)
      assert.equal(await read(), '0')
    })

    test('5.32 a snapshot is read-only, and reaches no table of the gateway', async () => {
      const faults: string[] = []
      stream(async function* (context) {
        yield 'begun'
        faults.push(await attempt(() => context.snapshot.deleteFrom('C_KEY_VALUE').execute()))
      })
      await read()
      stream(async function* (context) {
        yield 'begun'
        faults.push(await attempt(() => write(context.snapshot, 'never', ['x'])))
      })
      await read()
      stream(async function* (context) {
        yield 'begun'
        faults.push(await attempt(() => sql`commit`.execute(context.snapshot)))
      })
      await read()
      assert.match(faults[0] ?? '', /read-?only/)
      assert.match(faults[1] ?? '', /read-?only|only reads/)
      assert.match(faults[2] ?? '', /the gateway begins it/)
      if (database.name === 'PostgreSQL') return // there a role restricts it: 5.16
      stream(async function* (context) {
        yield await attempt(() => sql`select * from ig_operator`.execute(context.snapshot))
      })
      assert.match(await read(), /ig_operator belongs to the gateway/)
    })

    test('5.32 a snapshot is read a few rows at a time, with several results open, and some abandoned half way', async () => {
      const count = 12_000 // more than the memory budget could hold
      gateway.plan = (_response, _request, context) =>
        write(
          context.database,
          'many',
          Array.from({ length: count }, (_, index) => String(index)),
        )
      assert.equal((await gateway.ask('PUT')).status, 200)
      stream(async function* ({ snapshot }) {
        const others = rows(snapshot, 'many').stream(10)
        let sum = 0
        for await (const { LONGVALUE } of rows(snapshot, 'many').stream()) {
          if (sum < 100) sum += Number((await others.next()).value?.LONGVALUE ?? 0) - Number(LONGVALUE)
          yield `${LONGVALUE}\n`
        }
        yield `${sum}`
      })
      const lines = (await read()).split('\n')
      assert.deepEqual([lines.length, lines[count - 1], lines[count]], [count + 1, String(count - 1), '0'])
      while (gateway.gateway.memory.reserved > 0) await breathe()
    })

    test('5.32 a client that disconnects ends the snapshot, even during a statement', async () => {
      const begun = signalled()
      const [statement] = { SQLite: [sql`select 1`], PostgreSQL: [sql`select pg_sleep(600)`] }[database.name]
      stream(async function* ({ snapshot }) {
        yield 'begun'
        const running = statement?.execute(snapshot)
        begun.resolve()
        await running
        for (;;) yield 'x'
      })
      const socket = await openRawSocket(gateway.url)
      const received = once(socket.socket, 'data')
      socket.write(head)
      await Promise.all([begun.promise, received])
      socket.socket.resetAndDestroy()
      stream(async function* ({ snapshot }) {
        yield String((await rows(snapshot, 'none').execute()).length)
      })
      assert.equal(await readAgain(), '0')
    })

    test('5.4 a handler keeps no snapshot beyond its call, and onError has none', async () => {
      let kept: HandlerContext | undefined
      let fault = ''
      gateway.plan = (response, _request, context) => {
        kept = context
        assert.ok(context.snapshot)
        response.setContentString('no stream')
      }
      assert.equal((await gateway.ask('GET')).text, 'no stream')
      assert.match(await attempt(() => rows((kept as HandlerContext).snapshot, 'none').execute()), /has ended/)
      gateway.plan = () => assert.fail('broken')
      gateway.onError = () => {
        fault = 'it ran'
        return 'failed'
      }
      assert.equal((await gateway.ask('GET')).text, 'failed')
      gateway.onError = undefined
      assert.equal(fault, 'it ran')
      stream(async function* ({ snapshot }) {
        yield String((await rows(snapshot, 'none').execute()).length)
      })
      assert.equal(await readAgain(), '0')
    })

    if (database.name === 'PostgreSQL')
      test('5.17, 5.31 a lost connection resets a stream, and a snapshot leaves nothing behind in its session', async () => {
        const state = () => sql<{ name: string }>`select current_setting('application_name') as name`
        stream(async function* ({ snapshot }) {
          await sql`select set_config('application_name', 'left behind', false)`.execute(snapshot)
          yield (await state().execute(snapshot)).rows[0]?.name ?? ''
        })
        assert.equal(await read(), 'left behind')
        stream(async function* ({ snapshot }) {
          yield (await state().execute(snapshot)).rows[0]?.name ?? ''
        })
        assert.equal(await read(), 'integration-gateway')
        stream(async function* ({ snapshot }) {
          const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(snapshot)
          yield 'begun'
          await runOutside(gateway.settings.database, `select pg_terminate_backend(${rows[0]?.pid})`)
          await state().execute(snapshot)
        })
        const seen = gateway.observations.length
        await assert.rejects(gateway.ask('GET'), { code: 'ECONNRESET' })
        const failed = gateway.observations.slice(seen).find((one): one is AnsweredCall => one.kind === 'answered')
        assert.match(failed?.refusal?.message ?? '', /the stream failed after 5 bytes/)
      })
  })
})
