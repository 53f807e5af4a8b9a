/** Judges the project that it is copied into: 12-add-a-column.md. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTestGateway } from 'integration-gateway/testing'

const project = new URL('..', import.meta.url)
const operators = [{ id: 'DESK', permissionLists: ['MEMBER_DESK'] }, { id: 'RAY' }]

/** The project on a database that the first migration alone has made, and that has two members. */
async function open() {
  const { up } = await import(new URL('migrations/0001-members.ts', project).href)
  const folder = mkdtempSync(join(tmpdir(), 'members-'))
  const database = join(folder, 'members.sqlite')
  const configuration = { nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }] }
  {
    const migrations = [{ name: '0001-members', up }]
    await using former = await openTestGateway({ project: { configuration, migrations }, operators: [], database })
    const members = [
      { MEMBER_ID: 'M1', NAME: 'Ada' },
      { MEMBER_ID: 'M2', NAME: 'Bo' },
    ]
    await former.withDatabase((tables) => tables.insertInto('MEMBERS').values(members).execute())
  }
  const gateway = await openTestGateway({ project, operators, database })
  const read = async (member: string) => {
    const answer = await gateway.call(`GET LANGUAGE.v1/${member}`, { as: 'DESK' })
    return answer.status === 200 ? answer.json().language : answer.status
  }
  const change = async (member: string, json: unknown) =>
    (await gateway.call(`PUT LANGUAGE.v1/${member}`, { as: 'DESK', json })).status
  const close = async () => {
    await gateway.close()
    rmSync(folder, { recursive: true })
  }
  return { gateway, read, change, [Symbol.asyncDispose]: close }
}

test('the first migration is as it has run', async () => {
  await using judged = await open()
  const { gateway } = judged
  const rows = await gateway.withDatabase((tables) =>
    tables.selectFrom('MEMBERS').selectAll().orderBy('MEMBER_ID').execute(),
  )
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [
      { MEMBER_ID: 'M1', NAME: 'Ada', LANGUAGE: 'en' },
      { MEMBER_ID: 'M2', NAME: 'Bo', LANGUAGE: 'en' },
    ],
  )
})

test('a member that comes without a language has en, and none has null', async () => {
  await using judged = await open()
  const { gateway, read } = judged
  const add = (row: object) => gateway.withDatabase((tables) => tables.insertInto('MEMBERS').values(row).execute())
  await add({ MEMBER_ID: 'M3', NAME: 'Cy' })
  assert.equal(await read('M3'), 'en')
  await assert.rejects(add({ MEMBER_ID: 'M4', NAME: 'Di', LANGUAGE: null }))
})

test('a language is read and changed', async () => {
  await using judged = await open()
  const { read, change } = judged
  assert.equal(await read('M1'), 'en')
  assert.equal(await change('M1', { language: 'de' }), 204)
  assert.deepEqual([await read('M1'), await read('M2')], ['de', 'en'])
  for (const language of ['DE', 'deu', '', 7, undefined])
    assert.ok([400, 422].includes(await change('M1', { language })), `${language}`)
  assert.equal(await read('M1'), 'de')
  assert.deepEqual([await read('M9'), await change('M9', { language: 'de' })], [404, 404])
})

test('only the desk reads and changes', async () => {
  await using judged = await open()
  const { gateway } = judged
  assert.equal((await gateway.call('GET LANGUAGE.v1/M1', { as: 'RAY' })).refusal?.code, 'permissionDenied')
  const options = { as: 'RAY', json: { language: 'de' } }
  assert.equal((await gateway.call('PUT LANGUAGE.v1/M1', options)).refusal?.code, 'permissionDenied')
  assert.equal((await gateway.call('GET LANGUAGE.v1/M1')).status, 401)
})
