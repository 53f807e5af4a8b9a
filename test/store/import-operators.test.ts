/** Many operators in one transaction, on both databases (specification 37). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PreparedEntry } from '../../src/configuration/operator-file/apply-entry.ts'
import { beginning } from '../../src/store/store.ts'
import { forEachDatabase } from '../support/databases.ts'
import { openTestStore } from '../support/stores.ts'

const hash = (letter: string) => `$argon2id$v=19$m=19456,t=2,p=1$${'a'.repeat(22)}$${letter.repeat(43)}`
const entry = (index: number): PreparedEntry => ({
  id: `U${index}`,
  description: `Number ${index}`,
  isLocked: index % 2 === 0,
  emails: [
    { type: 'home', address: `u${index}@example.org`, isPrimary: false },
    { type: 'business', address: `u${index}@example.com`, isPrimary: true },
  ],
  certificates: [`sha256:${String(index).padStart(64, '0')}`],
  permissionLists: ['B', 'A'],
  passwordArgon2id: hash('b'),
})

forEachDatabase((database) => {
  test(`37.1, 37.3 operators of a file are added and changed together, others stay (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    await store.operators.add({ id: 'OTHER', description: 'stays' })
    const entries = Array.from({ length: 1200 }, (_, index) => entry(index))
    assert.equal((await store.operators.preview(entries)).length, 1200)
    const added = await store.operators.import(entries)
    assert.ok(added && added.length === 1200 && added.every(({ kind }) => kind === 'added'))
    assert.deepEqual(await store.operators.find('U7'), {
      id: 'U7',
      description: 'Number 7',
      passwordHash: hash('b'),
      emails: [
        { type: 'business', address: 'u7@example.com', isPrimary: true },
        { type: 'home', address: 'u7@example.org', isPrimary: false },
      ],
      isLocked: false,
      certificates: [`sha256:${'7'.padStart(64, '0')}`],
      permissionLists: ['A', 'B'],
    })
    const epoch = (await store.changesSince(beginning)).cursor
    assert.equal(await store.operators.import(entries), false)

    const changed = await store.operators.import([
      { id: 'U7', permissionLists: ['C', 'A'], emails: [] },
      { id: 'U8', passwordArgon2id: hash('c') },
      { id: 'U9' },
    ])
    assert.deepEqual(changed, [
      {
        kind: 'changed',
        id: 'U7',
        before: {
          emails: (await store.operators.find('U5'))?.emails.map((each) => ({
            ...each,
            address: each.address.replace('5', '7'),
          })),
          permissionLists: ['A', 'B'],
        },
        after: { emails: [], permissionLists: ['A', 'C'] },
        gains: ['C'],
        loses: ['B'],
      },
      { kind: 'changed', id: 'U8', before: { password: '***' }, after: { password: '***' }, gains: [], loses: [] },
    ])
    const seen = await store.changesSince(epoch)
    assert.deepEqual(seen.operators.map(({ id }) => id).toSorted(), ['U7', 'U8'])
    const [u7, u8] = [await store.operators.find('U7'), await store.operators.find('U8')]
    assert.deepEqual([u7?.emails, u7?.certificates?.length, u7?.passwordHash], [[], 1, hash('b')])
    assert.deepEqual([u8?.passwordHash, u8?.emails.length, u8?.description], [hash('c'), 2, 'Number 8'])
    assert.equal((await store.operators.find('OTHER'))?.description, 'stays')
    assert.equal((await store.operators.list()).length, 1201)
    await assert.rejects(
      store.operators.setHolders('C', ['U7', 'REMOVED']),
      /removed meanwhile, and nothing was stored/,
    )
    assert.equal(await store.operators.find('REMOVED'), undefined)
  })

  test(`37.4 a replaced password ends the session tokens of its operator only (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    await store.operators.import([entry(1), entry(2)])
    const generations = async () => {
      const rows = await store.databases.main.reader.selectFrom('ig_session_generation').selectAll().execute()
      return rows.map(({ operator_id, generation }) => `${operator_id} ${generation}`)
    }
    assert.deepEqual(await generations(), [])
    await store.operators.import([
      { id: 'U1', passwordArgon2id: hash('c') },
      { id: 'U2', description: 'x' },
    ])
    assert.deepEqual(await generations(), ['U1 1'])
    await store.operators.import([{ id: 'U1', passwordArgon2id: hash('d') }])
    assert.deepEqual(await generations(), ['U1 2'])
  })

  test(`37.6 a digest that is not wrapped is never stored, nor is anything beside it (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    const bare = { id: 'BARE', passwordSha1Utf16le: 'uXmFVrdBvv293L9kDR3VnRmx4ZM=' }
    await assert.rejects(store.operators.import([entry(1), bare]), /nothing was stored/)
    assert.deepEqual(await store.operators.list(), [])
  })

  test(`37.7 a hash is replaced only if it is still the one that was verified (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    await store.operators.import([entry(1)])
    assert.equal(await store.operators.replacePasswordHash('U1', hash('x'), hash('z')), false)
    assert.equal(await store.operators.replacePasswordHash('U1', undefined, hash('z')), false)
    assert.equal((await store.operators.find('U1'))?.passwordHash, hash('b'))
    assert.equal(await store.operators.replacePasswordHash('U1', hash('b'), hash('z')), true)
    assert.equal((await store.operators.find('U1'))?.passwordHash, hash('z'))
  })
})
