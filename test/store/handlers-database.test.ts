import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import {
  bytesColumn,
  databaseType,
  type Handler,
  type HandlerContext,
  type HandlerDatabase,
  Refusal,
  type RequestMessage,
  type ResponseMessage,
} from '../../src/sdk.ts'
import type { Store } from '../../src/store/store.ts'
import type { HandlerTransaction } from '../../src/store/transaction.ts'
import { databases, forEachDatabase, type TestDatabase } from '../support/databases.ts'
import { run, succeed } from '../support/handler-run.ts'
import { readStaged, withKeyValueStore } from '../support/key-value-store.ts'

const row = (key: string) => ({ IBTRANSACTIONID: 'x', KEY1: key, LONGVALUE: '', ADD_DTTM: '2026-11-21 00:00:00' })

const write = (database: HandlerDatabase, key: string) => database.insertInto('C_KEY_VALUE').values(row(key)).execute()

const ok = (request: RequestMessage, { broker }: HandlerContext) =>
  broker.createMessage(request.operationName, 'response')

const keys = async (store: Store) => (await readStaged(store)).map(({ KEY1 }) => KEY1)

function handlerOf(onRequest: Handler['onRequest'], others: Partial<Handler> = {}): new () => Handler {
  return class Sample {
    onRequest = onRequest

    constructor() {
      Object.assign(this, others)
    }
  }
}

forEachDatabase((database) => {
  const { name } = database

  test(`5.8 everything that a handler wrote is stored when it succeeds (${name})`, () =>
    withKeyValueStore(database, async (store) => {
      const handler = handlerOf(async (request, context) => {
        await write(context.database, 'a')
        await write(context.database, 'b')
        assert.deepEqual(await keys(store), []) // no one else sees it yet
        return ok(request, context)
      })
      await succeed({ handler, store })
      assert.deepEqual(await keys(store), ['a', 'b'])
    }))

  test(`5.60 a column of bytes stores bytes, and returns a Buffer (${name})`, () =>
    withKeyValueStore(database, async (store) => {
      const types: string[] = []
      const up = (photos: HandlerDatabase) =>
        photos.schema.createTable('PHOTOS').addColumn('PHOTO', bytesColumn(photos)).execute()
      await store.migrate([{ name: '0001-type', up: async (given) => void types.push(databaseType(given)) }])
      assert.deepEqual(types, [store.dbType])
      await store.migrate([{ name: '0002-photos', up }])
      const photo = Buffer.from([0, 255, 39, 92])
      const handler = handlerOf(async (request, context) => {
        await context.database.insertInto('PHOTOS').values({ PHOTO: photo }).execute()
        const { PHOTO } = await context.database.selectFrom('PHOTOS').selectAll().executeTakeFirstOrThrow()
        assert.ok(Buffer.isBuffer(PHOTO))
        assert.deepEqual(PHOTO, photo)
        return ok(request, context)
      })
      await succeed({ handler, store })
    }))

  test(`5.8 a statement that the handler did not await is part of the transaction (${name})`, () =>
    withKeyValueStore(database, async (store) => {
      const handler = handlerOf((request, context) => {
        void write(context.database, 'a')
        return ok(request, context)
      })
      await succeed({ handler, store })
      assert.deepEqual(await keys(store), ['a'])
    }))

  const never: readonly {
    readonly title: string
    readonly onRequest: Handler['onRequest']
    readonly code: string | number
  }[] = [
    {
      title: '5.8 nothing is stored of a handler that throws',
      code: 'handlerFailed',
      onRequest: async (_, context) => {
        await write(context.database, 'a')
        throw new Error('broken')
      },
    },
    {
      title: '5.8 nothing is stored of a handler that hangs',
      code: 'handlerTimedOut',
      onRequest: async (_, context) => {
        await write(context.database, 'a')
        return new Promise(() => {})
      },
    },
    {
      title: '5.8 nothing is stored of a handler that returns nothing',
      code: 'handlerFailed',
      onRequest: async (_, context) => {
        await write(context.database, 'a')
        return undefined as never
      },
    },
    {
      title: '5.7 nothing is stored of a handler that answers 4xx',
      code: 409,
      onRequest: async (request, context) => {
        await write(context.database, 'a')
        const response = ok(request, context)
        response.httpResponseCode = 409
        return response
      },
    },
    {
      title: '5.7 nothing is stored of a handler that answers 500',
      code: 'handlerFailed',
      onRequest: async (request, context) => {
        await write(context.database, 'a')
        const response = ok(request, context)
        response.httpResponseCode = 500
        return response
      },
    },
    {
      title: '5.8 nothing is stored of a handler that refuses',
      code: 'bodyMalformed',
      onRequest: async (_, context) => {
        await write(context.database, 'a')
        throw new Refusal('bodyMalformed', 'no')
      },
    },
    {
      title: '5.8 nothing is stored if a statement failed, even if the handler caught it',
      code: 'handlerFailed',
      onRequest: async (request, context) => {
        await write(context.database, 'a')
        await context.database
          .insertInto('NO_SUCH_TABLE')
          .values({ A: 1 })
          .execute()
          .catch(() => {})
        return ok(request, context)
      },
    },
    {
      title: '5.8 nothing is stored of rows whose source fails',
      code: 'handlerFailed',
      onRequest: async (request, context) => {
        await context.database.insertRows('C_KEY_VALUE', Object.keys(row('')), failingRows())
        return ok(request, context)
      },
    },
  ]

  for (const { title, onRequest, code } of never) {
    test(`${title}, and the next request is served (${name})`, () =>
      withKeyValueStore(database, async (store) => {
        const limits = { handlerTimeout: code === 'handlerTimedOut' ? 50 : 30_000 }
        const { refusal, response, isBodyClosed } = await run({ handler: handlerOf(onRequest), store, limits })
        assert.equal(refusal?.code ?? response?.status, code)
        assert.equal(isBodyClosed, true)
        assert.deepEqual(await keys(store), [])
        const next = handlerOf(async (request, context) => {
          await write(context.database, 'next')
          return ok(request, context)
        })
        await succeed({ handler: next, store })
        assert.deepEqual(await keys(store), ['next'])
      }))
  }

  test(`5.8 a handler that exceeded its time cannot write any more (${name})`, (t) =>
    withKeyValueStore(database, async (store) => {
      t.mock.timers.enable({ apis: ['setTimeout'] })
      const errors: unknown[] = []
      let late: Promise<unknown> | undefined
      const handler = handlerOf((_, context) => {
        late = (async () => {
          const { signal, database } = context
          await write(database, 'early')
          t.mock.timers.tick(30_000)
          if (!signal.aborted) await once(signal, 'abort')
          await write(database, 'late').catch((error) => errors.push(error))
          await write(context.database, 'later').catch((error) => errors.push(error))
        })()
        return new Promise(() => {})
      })
      assert.equal((await run({ handler, store })).refusal?.code, 'handlerTimedOut')
      await late
      t.mock.timers.reset()
      assert.equal(errors.length, 2)
      assert.deepEqual(await keys(store), [])
    }))

  test(`5.8 a statement after the response is rejected, and nothing of it is stored (${name})`, () =>
    withKeyValueStore(database, async (store) => {
      const contexts: HandlerContext[] = []
      const handler = handlerOf(async (request, context) => {
        contexts.push(context)
        if (request.getUriDocument().writes) await write(context.database, 'in time')
        return ok(request, context)
      })
      await succeed({ handler, store })
      await succeed({ handler, store, values: { writes: true } })
      for (const context of contexts) await assert.rejects(write(context.database, 'late'), /has ended/)
      assert.deepEqual(await keys(store), ['in time'])
    }))

  test(`5.4 a client that disconnects leaves nothing behind (${name})`, () =>
    withKeyValueStore(database, async (store) => {
      const client = new AbortController()
      const handler = handlerOf(async (_, context) => {
        await write(context.database, 'a')
        client.abort()
        return new Promise(() => {})
      })
      assert.match((await run({ handler, store, signal: client.signal })).refusal?.message ?? '', /client left/i)
      assert.deepEqual(await keys(store), [])
    }))

  test(`5.4, 5.8 nothing is stored of a handler that never waits, if its client has left before the commit (${name})`, () =>
    withKeyValueStore(database, async (store) => {
      const client = new AbortController()
      const handler = handlerOf((request, context) => {
        write(context.database, 'a').catch(() => {})
        client.abort()
        return ok(request, context)
      })
      assert.match((await run({ handler, store, signal: client.signal })).refusal?.message ?? '', /client left/i)
      assert.deepEqual(await keys(store), [])
    }))

  test(`5.8 no statement runs after a batch of rows has failed, and its failure is the one reported (${name})`, () =>
    withKeyValueStore(database, async (store) => {
      let later = 0
      const handler = handlerOf(async (request, context) => {
        const columns = ['IBTRANSACTIONID', 'KEY1', 'LONGVALUE', 'NO_COLUMN']
        async function* rows() {
          for (let index = 0; index < 500; index += 1) yield Object.values(row(`${index}`))
          while (later < 100) {
            await write(context.database, `later ${later}`)
            later += 1
            yield Object.values(row(`later ${later}`))
          }
        }
        await context.database.insertRows('C_KEY_VALUE', columns, rows())
        return ok(request, context)
      })
      const { refusal } = await run({ handler, store })
      assert.match(String((refusal?.cause as Error | undefined)?.message ?? refusal?.message), /NO_COLUMN/)
      assert.ok(later <= 1, 'one may be under way together with the batch')
      assert.deepEqual(await keys(store), [])
    }))

  test(`5.8 a commit that fails is handlerFailed, never a 200 (${name})`, () =>
    withKeyValueStore(database, async (store) => {
      const handler = handlerOf(
        async (request, context) => {
          await write(context.database, 'a')
          return ok(request, context)
        },
        { onError: () => 'never' },
      )
      const failing: Pick<Store, 'dbType' | 'openHandlerTransaction' | 'openSnapshot'> = {
        dbType: store.dbType,
        openSnapshot: store.openSnapshot,
        openHandlerTransaction: (options) => failAtCommit(store.openHandlerTransaction(options)),
      }
      const { refusal } = await run({ handler, store: failing })
      assert.equal(refusal?.code, 'handlerFailed')
      assert.match(refusal?.message ?? '', /the commit failed: Error: disk full/)
      assert.deepEqual(await keys(store), [])
    }))

  test(`5.5 onError has no database of its own (${name})`, () =>
    withKeyValueStore(database, async (store) => {
      const onError = async (_: RequestMessage, context: HandlerContext) => {
        await write(context.database, 'a')
        return 'stored'
      }
      const handler = handlerOf(() => Promise.reject(new Error('broken')), { onError })
      const { refusal, notes } = await run({ handler, store })
      assert.equal(refusal?.code, 'handlerFailed')
      assert.match(notes[0]?.message ?? '', /onError has no database/)
      assert.deepEqual(await keys(store), [])
    }))

  test(`5.5 a handler's writes are rolled back before onError runs, and a kept database does not work there (${name})`, () =>
    withKeyValueStore(database, async (store) => {
      let found: readonly string[] | undefined
      class Keeping implements Handler {
        database: HandlerDatabase | undefined
        async onRequest(_: RequestMessage, { database }: HandlerContext): Promise<ResponseMessage> {
          this.database = database
          await write(database, 'a')
          throw new Error('broken')
        }
        async onError() {
          found = await keys(store)
          if (this.database) await assert.rejects(write(this.database, 'b'))
          return 'sorry'
        }
      }
      assert.equal((await succeed({ handler: Keeping, store })).text, 'sorry')
      assert.deepEqual(found, [])
      assert.deepEqual(await keys(store), [])
    }))
})

test('5.9 the transaction opens at the first use of the database: a handler that does not use it waits for no one', () =>
  withKeyValueStore(sqlite(), async (store) => {
    const writer = store.openHandlerTransaction({ wait: 1000, signal: new AbortController().signal })
    await write(writer.database, 'held')
    await succeed({ handler: handlerOf(ok), store })
    await writer.rollback()
  }))

test('5.9 the wait for the writer is bounded, and ends in overloaded without onError', () =>
  withKeyValueStore(sqlite(), async (store) => {
    const writer = store.openHandlerTransaction({ wait: 1000, signal: new AbortController().signal })
    await write(writer.database, 'held')
    const handler = handlerOf(
      async (request, context) => {
        await write(context.database, 'a')
        return ok(request, context)
      },
      { onError: () => 'never' },
    )
    const { refusal } = await run({ handler, store, limits: { databaseWait: 30 } })
    assert.equal(refusal?.code, 'overloaded')
    await writer.commit()
    await succeed({ handler, store })
    assert.deepEqual(await keys(store), ['held', 'a'])
  }))

async function* failingRows() {
  for (let index = 0; index < 5000; index++) yield Object.values(row(String(index)))
  throw new Error('the source broke')
}

function failAtCommit(transaction: HandlerTransaction): HandlerTransaction {
  return {
    database: transaction.database,
    holdsLocks: false,
    isConflict: false,
    commit: () => Promise.reject(new Error('disk full')),
    touch: async () => {},
    rollback: () => transaction.rollback(),
  }
}

/** One writer at a time is SQLite's. */
function sqlite(): TestDatabase {
  const [database] = databases
  assert.equal(database?.name, 'SQLite')
  return database as TestDatabase
}
