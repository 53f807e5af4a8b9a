/** Operators in the store, on both databases (specification 3.2 to 3.4). */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { setImmediate as breathe } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { OperatorQuery } from '../../src/store/operator-store.ts'
import { beginning } from '../../src/store/store.ts'
import { forEachDatabase, runOutside } from '../support/databases.ts'
import { openTestStore } from '../support/stores.ts'

const demo = {
  id: 'DEMO',
  description: 'Demonstration',
  passwordHash: '$argon2id$hash',
  emails: [
    { type: 'business', address: 'demo@example.com', isPrimary: true },
    { type: 'home', address: 'Demo@Example.com', isPrimary: false },
  ],
  isLocked: false,
  permissionLists: ['ECHO_USERS', 'KEY_VALUE_USERS'],
}

forEachDatabase((database) => {
  test(`3.2 an operator is stored with all of its data (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    assert.equal(await store.operators.add(demo), true)
    assert.deepEqual(await store.operators.find('DEMO'), demo)
    assert.deepEqual(await store.operators.list(), [demo])
    assert.equal(await store.operators.add({ id: 'GUEST' }), true)
    assert.deepEqual(await store.operators.find('GUEST'), {
      id: 'GUEST',
      description: '',
      passwordHash: undefined,
      emails: [],
      isLocked: false,
      permissionLists: [],
    })
  })

  test(`18.15, 18.19 a page of operators is searched in any letters, and sorted by their permission lists (${database.name})`, async (t) => {
    const { operators } = (await openTestStore(t, database)).store
    const rows = [
      ['ÉCOLE', 'Größe', 'B'],
      ['école2', '', 'A'],
      ['مرحبا', 'ßß %_', undefined],
      ['PLAIN', 'ГОСТ', 'C'],
    ] as const
    for (const [id, description, list] of rows) {
      await operators.add({ id, description })
      if (list) await operators.grant(id, list)
    }
    const pageOf = async (query: Partial<OperatorQuery>) => {
      const asked = { sort: 'id', isDescending: false, offset: 0, limit: 10, ...query } as const
      const { operators: found, total } = await operators.page(asked)
      assert.equal(total, found.length)
      return found.map(({ id }) => id)
    }
    for (const [query, ids] of [
      [{ search: 'École' }, ['ÉCOLE', 'école2']],
      [{ search: 'GRÖSSE' }, []],
      [{ search: 'GRÖß' }, ['ÉCOLE']],
      [{ search: 'гост' }, ['PLAIN']],
      [{ search: 'رحب' }, ['مرحبا']],
      [{ search: '%_' }, ['مرحبا']],
      [{ id: 'гост' }, []],
      [{ id: 'lain' }, ['PLAIN']],
      [{ sort: 'permissionLists' }, ['école2', 'ÉCOLE', 'PLAIN', 'مرحبا']],
      [{ sort: 'permissionLists', isDescending: true }, ['PLAIN', 'ÉCOLE', 'école2', 'مرحبا']],
    ] as const)
      assert.deepEqual(await pageOf(query), ids, JSON.stringify(query))
    assert.deepEqual(await operators.holders('B'), ['ÉCOLE'])
  })

  test(`18.15 a search of operators by id counts 10,000 of them, and more only to the end of its page (${database.name})`, async (t) => {
    const { operators } = (await openTestStore(t, database)).store
    await operators.import(Array.from({ length: 10_020 }, (_, at) => ({ id: `X${at + 10_000}` })))
    const asked = { sort: 'id', isDescending: false, offset: 0, limit: 10 } as const
    const find = async (query: Partial<OperatorQuery>) => {
      const { operators: found, total, isMore } = await operators.page({ ...asked, ...query })
      return [found[0]?.id, found.length, total, isMore]
    }
    assert.deepEqual(await find({ search: 'x' }), ['X10000', 10, 10_000, true])
    assert.deepEqual(await find({ search: 'x', isDescending: true }), ['X20019', 10, 10_000, true])
    assert.deepEqual(await find({ search: 'x', offset: 10_000 }), ['X20000', 10, 10_010, true])
    assert.deepEqual(await find({ search: 'x', offset: 10_010 }), ['X20010', 10, 10_020, false])
    assert.deepEqual(await find({ search: 'x', offset: 20_000 }), [undefined, 0, 10_020, false])
    assert.deepEqual(await find({ search: 'x', sort: 'isLocked' }), ['X10000', 10, 10_020, false])
    assert.deepEqual(await find({}), ['X10000', 10, 10_020, false])
  })

  test(`3.2, 3.13 operator ids and addresses are case-sensitive (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    await store.operators.add(demo)
    assert.equal(await store.operators.find('demo'), undefined)
    assert.equal(await store.operators.add({ id: 'demo', description: 'another' }), true)
    assert.equal((await store.operators.find('DEMO'))?.description, 'Demonstration')
    const addresses = (await store.operators.find('DEMO'))?.emails.map(({ address }) => address)
    assert.deepEqual(addresses, ['demo@example.com', 'Demo@Example.com'])
  })

  test(`3.2 adding an operator that exists changes nothing (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    await store.operators.add(demo)
    assert.equal(await store.operators.add({ ...demo, description: 'again', permissionLists: ['ADMIN'] }), false)
    assert.deepEqual(await store.operators.list(), [demo])
  })

  test(`3.2 each of very many operators has its own data (${database.name})`, async (t) => {
    const { store, url } = await openTestStore(t, database)
    const numbers = Array.from({ length: 2500 }, (_, index) => index)
    const insert = (table: string, values: (n: number) => string) =>
      runOutside(url, `insert into ${table} values ${numbers.map((n) => `(${values(n)})`).join(', ')}`)
    await insert('ig_operator (id, description, is_locked, changed)', (n) => `'OP${n}', '', 0, 0`)
    await insert(
      'ig_operator_email (operator_id, type, address, is_primary)',
      (n) => `'OP${n}', 'work', '${n}@example.com', 1`,
    )
    await insert('ig_operator_permission_list (operator_id, permission_list)', (n) => `'OP${n}', 'LIST${n % 3}'`)

    const { operators } = await store.changesSince(beginning)
    assert.equal(new Set(operators.map(({ id }) => id)).size, numbers.length)
    assert.equal(operators.length, numbers.length)
    for (const { id, emails, permissionLists } of operators) {
      const number = Number(id.slice(2))
      assert.deepEqual(emails, [{ type: 'work', address: `${number}@example.com`, isPrimary: true }])
      assert.deepEqual(permissionLists, [`LIST${number % 3}`])
    }
  })

  test(`3.4 every change of an operator is stored and reported as a change (${database.name})`, async (t) => {
    const { store, openAnother } = await openTestStore(t, database)
    const other = await openAnother()
    await store.operators.add(demo)
    await store.operators.add({ id: 'GUEST' })
    let cursor = (await other.changesSince(beginning)).cursor
    const changes = [
      { change: () => store.operators.setPasswordHash('DEMO', 'new'), after: { passwordHash: 'new' } },
      {
        change: () =>
          store.operators.setEmails('DEMO', [{ type: 'home', address: 'demo@example.com', isPrimary: true }]),
        after: { emails: [{ type: 'home', address: 'demo@example.com', isPrimary: true }] },
      },
      {
        change: () => store.operators.setCertificates('DEMO', ['subject: CN=b; issuer: CN=c', 'sha256:a']),
        after: { certificates: ['sha256:a', 'subject: CN=b; issuer: CN=c'] },
      },
      { change: () => store.operators.setLocked('DEMO', true), after: { isLocked: true } },
      { change: () => store.operators.setLocked('DEMO', false), after: { isLocked: false } },
      {
        change: () => store.operators.grant('DEMO', 'ADMIN'),
        after: { permissionLists: ['ADMIN', 'ECHO_USERS', 'KEY_VALUE_USERS'] },
      },
      {
        change: () => store.operators.revoke('DEMO', 'ECHO_USERS'),
        after: { permissionLists: ['ADMIN', 'KEY_VALUE_USERS'] },
      },
    ]
    let expected = demo
    for (const { change, after } of changes) {
      assert.ok(await change())
      expected = { ...expected, ...after }
      const seen = await other.changesSince(cursor)
      assert.deepEqual(seen.operators, [expected])
      cursor = seen.cursor
    }
    assert.deepEqual((await other.changesSince(cursor)).operators, [])
  })

  test(`18.30 a change returns what was before it, from its transaction (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    await store.operators.add({ id: 'KIM', description: 'a' })
    const texts = ['b', 'c', 'd', 'e']
    const changes = await Promise.all(texts.map((text) => store.operators.setDescription('KIM', text)))
    const befores = changes.flatMap((change) => (change ? [change.before.description] : []))
    const afters = changes.flatMap((change) => (change ? [change.after.description] : []))
    const { description } = (await store.operators.find('KIM')) ?? {}
    assert.deepEqual([...befores, description].sort(), ['a', ...afters].sort())
    const email = { type: 'home', address: 'kim@example.com', isPrimary: true }
    const emails = await store.operators.setEmails('KIM', [email])
    assert.deepEqual(emails, { before: { emails: [] }, after: { emails: [email] } })
    const certificates = ['sha256:a']
    const changed = await store.operators.setCertificates('KIM', ['sha256:a', 'sha256:a'])
    assert.deepEqual(changed, { before: { certificates: [] }, after: { certificates } })
    const { administrators } = store.administration
    await administrators.add({ name: 'ann', role: 'administrator', passwordHash: '', created: 1 })
    await administrators.add({ name: 'kim', role: 'viewer', passwordHash: '', created: 1 })
    const [role, isLocked] = await Promise.all([
      administrators.change('kim', { role: 'operator' }),
      administrators.change('kim', { isLocked: true }),
    ])
    assert.ok(role && isLocked)
    assert.deepEqual([role.before, role.after.role], [{ role: 'viewer', isLocked: role.before.isLocked }, 'operator'])
    assert.notDeepEqual(role.before, isLocked.before)
  })

  test(`3.4 a change of an operator that does not exist is reported (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    assert.equal(await store.operators.setPasswordHash('NOBODY', 'hash'), false)
    assert.equal(await store.operators.setEmails('NOBODY', demo.emails), false)
    assert.equal(await store.operators.setLocked('NOBODY', true), false)
    assert.equal(await store.operators.grant('NOBODY', 'ADMIN'), false)
    assert.equal(await store.operators.revoke('NOBODY', 'ADMIN'), false)
    assert.deepEqual((await store.changesSince(beginning)).operators, [])
  })

  test(`3.4 a grant given twice is one grant (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    await store.operators.add({ id: 'DEMO' })
    assert.ok(await store.operators.grant('DEMO', 'ADMIN'))
    assert.ok(await store.operators.grant('DEMO', 'ADMIN'))
    assert.deepEqual((await store.operators.find('DEMO'))?.permissionLists, ['ADMIN'])
  })

  test(`3.4 another process's change is seen (${database.name})`, async (t) => {
    const { store, url } = await openTestStore(t, database)
    await store.operators.add(demo)
    const { cursor } = await store.changesSince(beginning)
    const script = new URL('../support/store-process.ts', import.meta.url).pathname
    await promisify(execFile)(process.execPath, [...process.execArgv, script, 'lock', url])
    assert.deepEqual((await store.changesSince(cursor)).operators, [{ ...demo, isLocked: true }])
  })

  test(`3.4 no change is missed while several processes write at once (${database.name})`, async (t) => {
    const { store, openAnother } = await openTestStore(t, database)
    const other = await openAnother()
    const ids = Array.from({ length: 10 }, (_, index) => `OPERATOR${index}`)
    for (const id of ids) await store.operators.add({ id })
    const seen = new Map<string, string | undefined>()
    let cursor = beginning
    const look = async () => {
      const changes = await store.changesSince(cursor)
      for (const { id, passwordHash } of changes.operators) seen.set(id, passwordHash)
      cursor = changes.cursor
    }
    let isWriting = true
    const watching = (async () => {
      while (isWriting) await look().then(() => breathe()) // reads in process give no one else a turn
    })()
    const writes = ids.flatMap((id) =>
      [store, other].map(async (writer, which) => {
        for (let round = 0; round < 3; round += 1) await writer.operators.setPasswordHash(id, `${which} ${round}`)
      }),
    )
    await Promise.all(writes)
    isWriting = false
    await watching
    await look()
    const stored = await other.operators.list()
    assert.deepEqual(new Map(stored.map(({ id, passwordHash }) => [id, passwordHash])), new Map([...seen].sort()))
  })
})
