/** Revisions and activations in the store, on both databases (specification 13.1, 13.5, 13.7, 13.10). */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { beginning } from '../../src/store/store.ts'
import { forEachDatabase } from '../support/databases.ts'
import { openTestStore } from '../support/stores.ts'

const one = { document: '{\n"nodes": [\n]\n}\n', digest: 'one' }
const two = { document: '{\n"services": [\n]\n}\n', digest: 'two' }

forEachDatabase((database) => {
  test(`13.1 revisions are numbered from 1 and kept with time, author, note and digest (${database.name})`, async (t) => {
    const { store, openAnother } = await openTestStore(t, database)
    const { revisions } = store
    assert.deepEqual([await revisions.list(), await revisions.activations()], [[], []])
    assert.equal(await revisions.active(), undefined)
    assert.equal(await revisions.find(1), undefined)
    await revisions.add(one, { expectedActive: undefined, note: 'first', author: 'kim', time: 1_000 })
    await revisions.add(two, { expectedActive: 1, time: 2_000 })
    const again = (await openAnother()).revisions
    assert.deepEqual(await again.list(), [
      { number: 2, created: 2_000, note: '', author: null, digest: 'two' },
      { number: 1, created: 1_000, note: 'first', author: 'kim', digest: 'one' },
    ])
    assert.deepEqual(await again.find(1), { number: 1, created: 1_000, note: 'first', author: 'kim', ...one })
    const { sequence, ...active } = (await again.active()) ?? {}
    assert.deepEqual(active, { revision: 2, time: 2_000, note: '' })
  })

  test(`13.1 a long document comes back as it was (${database.name})`, async (t) => {
    const { revisions } = (await openTestStore(t, database)).store
    const document = `{\n"nodes": [\n${'{"name":"LOCAL"},\n'.repeat(60_000)}{}\n]\n}\n`
    await revisions.add({ document, digest: '' }, { expectedActive: undefined, time: 0 })
    assert.equal((await revisions.find(1))?.document, document)
  })

  test(`13.1, 13.10 another activation makes an earlier revision active under its own number (${database.name})`, async (t) => {
    const { revisions } = (await openTestStore(t, database)).store
    await revisions.add(one, { expectedActive: undefined, time: 1 })
    await revisions.add(two, { expectedActive: 1, time: 2 })
    const outcome = await revisions.activate(1, { expectedActive: 2, note: 'back', time: 3 })
    assert.ok('activation' in outcome)
    assert.deepEqual(await revisions.active(), outcome.activation)
    assert.deepEqual(
      (await revisions.activations()).map(({ revision, time, note }) => ({ revision, time, note })),
      [
        { revision: 1, time: 3, note: 'back' },
        { revision: 2, time: 2, note: '' },
        { revision: 1, time: 1, note: '' },
      ],
    )
    assert.equal((await revisions.list()).length, 2)
    const next = await revisions.add(one, { expectedActive: 1, time: 4 })
    assert.equal('activation' in next && next.activation.revision, 3, 'a number is given once')
  })

  test(`13.5 a change based on a revision that is not active stores nothing (${database.name})`, async (t) => {
    const { revisions } = (await openTestStore(t, database)).store
    assert.deepEqual(await revisions.add(one, { expectedActive: 1, time: 1 }), { activeInstead: undefined })
    await revisions.add(one, { expectedActive: undefined, time: 1 })
    const before = await revisions.active()
    for (const expectedActive of [undefined, 2]) {
      assert.deepEqual(await revisions.add(two, { expectedActive, time: 2 }), { activeInstead: 1 })
      assert.deepEqual(await revisions.activate(1, { expectedActive, time: 2 }), { activeInstead: 1 })
    }
    assert.deepEqual([await revisions.active(), (await revisions.list()).length], [before, 1])
  })

  test(`13.5 a revision that does not exist is not activated (${database.name})`, async (t) => {
    const { revisions } = (await openTestStore(t, database)).store
    await revisions.add(one, { expectedActive: undefined, time: 1 })
    await assert.rejects(revisions.activate(7, { expectedActive: 1, time: 2 }))
    assert.equal((await revisions.active())?.revision, 1)
  })

  test(`13.5 of several processes that activate at the same time one succeeds, and the others get an error (${database.name})`, async (t) => {
    const { store, url } = await openTestStore(t, database)
    await store.revisions.add(one, { expectedActive: undefined, time: 0 })
    const script = new URL('../support/store-process.ts', import.meta.url).pathname
    const apply = () => promisify(execFile)(process.execPath, [...process.execArgv, script, 'apply', url])
    const outcomes = (await Promise.all([apply(), apply(), apply()])).map(({ stdout }) => JSON.parse(stdout))
    assert.equal(outcomes.filter(({ activation }) => activation?.revision === 2).length, 1)
    assert.equal(outcomes.filter(({ activeInstead }) => activeInstead === 2).length, 2)
    assert.deepEqual(
      (await store.revisions.list()).map(({ number }) => number),
      [2, 1],
    )
  })

  test(`13.7 another process sees an activation once, by its changes (${database.name})`, async (t) => {
    const { store, openAnother } = await openTestStore(t, database)
    const other = await openAnother()
    let { cursor, activation } = await other.changesSince(beginning)
    assert.equal(activation, undefined)
    for (const expectedActive of [undefined, 1]) {
      await store.revisions.add(one, { expectedActive, time: 1 })
      ;({ cursor, activation } = await other.changesSince(cursor))
      assert.deepEqual(activation, await store.revisions.active())
      assert.equal((await other.changesSince(cursor)).activation, undefined)
    }
    assert.equal((await other.changesSince(beginning)).activation?.revision, 2)
  })
})
