/** The timeline of changes on both databases (specification 18.43). */
import assert from 'node:assert/strict'
import { userInfo } from 'node:os'
import { test } from 'node:test'
import { openTestAdmin, type TestAdmin } from '../support/admin.ts'
import { copyReference } from '../support/cli.ts'
import { forEachDatabase } from '../support/databases.ts'
import { activateTwo } from '../support/make-changes.ts'
import { runVerb } from '../support/run-verb.ts'

interface Item {
  readonly sequence: number
  readonly kind: string
  readonly title: string
  readonly who: string
  readonly note: string | null
  readonly revision: number | null
  readonly operator: string | null
  readonly difference: string | null
  readonly operations: readonly string[]
  readonly change?: {
    readonly kind: string
    readonly list: string
    readonly id: string
    readonly fields: readonly { readonly field: string }[]
  }
}

async function list({ ask }: TestAdmin, query = ''): Promise<readonly Item[]> {
  const { status, body } = await ask(`GET /api/changes?${query}`, { as: 'viewer' })
  assert.equal(status, 200, JSON.stringify(body))
  return body.items
}

forEachDatabase((database) => {
  const on = `(${database.name})`

  test(`18.43 activations, drafts and changes of operators are one timeline, newest first, with who and what ${on}`, async (t) => {
    const admin = await openTestAdmin(t, { database })
    const { ask } = admin
    await activateTwo(ask, 'to hear more')
    await ask('PUT /api/operators/DEMO2/lock', { as: 'operator' })
    await ask('PUT /api/operators/DEMO2/permission-lists/PUBLIC', { as: 'operator' })
    await ask('DELETE /api/operators/DEMO2/permission-lists/PUBLIC', { as: 'operator' })
    await ask('PUT /api/permission-lists/PUBLIC/operators', { body: { operators: ['DEMO2'], dryRun: false } })
    const back = await ask('PUT /api/activation', { ifMatch: '"revision-2"', body: { revision: 1, force: true } })
    assert.equal(back.status, 200, JSON.stringify(back.body))
    const items = await list(admin)
    assert.deepEqual(
      items.map(({ kind, title, who }) => `${kind}: ${title} (${who})`),
      [
        'rollback: Rolled back to revision 1 (an administrator)',
        'caller: Set the holders of PUBLIC (an administrator)',
        'caller: Revoked PUBLIC from DEMO2 (an operator)',
        'caller: Granted PUBLIC to DEMO2 (an operator)',
        'caller: Locked DEMO2 (an operator)',
        'revision: Activated revision 2 (an administrator)',
        'draft: Created the draft "Two echoes" (an administrator)',
        `revision: Activated revision 1 (${userInfo().username})`,
      ],
    )
    const [, holders, , , lock, made, , first] = items
    assert.deepEqual([holders?.operator, holders?.difference], [null, null])
    assert.deepEqual([lock?.operator, lock?.revision], ['DEMO2', null])
    assert.deepEqual(
      [made?.note, made?.revision, made?.difference],
      ['to hear more', 2, '1 operation changed, 1 added'],
    )
    assert.deepEqual(made?.operations, ['ECHO_GET.v1', 'ECHO_TWO_GET.v1'])
    assert.deepEqual([first?.note, first?.revision], ['made by the first start', 1])
  })

  test(`18.43 the timeline is filtered by kind, person and time, and read in pages ${on}`, async (t) => {
    let now = Date.parse('2030-01-01T08:00:00Z')
    const admin = await openTestAdmin(t, { database, now: () => now })
    const { ask } = admin
    await ask('PUT /api/operators/DEMO/lock', { as: 'operator' })
    now += 60_000
    await ask('DELETE /api/operators/DEMO/lock')
    await activateTwo(ask, '')
    const titles = async (query: string) => (await list(admin, query)).map(({ title }) => title)
    assert.deepEqual(await titles('kind=caller'), ['Unlocked DEMO', 'Locked DEMO'])
    assert.deepEqual(await titles('kind=revision'), ['Activated revision 2', 'Activated revision 1'])
    const [made, ...others] = await list(admin, 'operation=ECHO_GET.v1')
    assert.deepEqual([made?.title, others], ['Activated revision 2', []])
    const { list: ofList, id, kind, fields } = made?.change ?? {}
    assert.deepEqual(
      [ofList, id, kind, fields?.map(({ field }) => field)],
      ['operations', 'ECHO_GET.v1', 'changed', ['description']],
    )
    assert.deepEqual(await list(admin, 'operation=CHO_GET.v1'), [])
    assert.deepEqual(await titles('who=an%20operator'), ['Locked DEMO'])
    assert.deepEqual(await titles('kind=caller&from=2030-01-01T08:01:00Z'), ['Unlocked DEMO'])
    assert.deepEqual(await titles('kind=caller&to=2030-01-01T08:01:00Z'), ['Locked DEMO'])
    const paged: string[] = []
    for (let last: Item | undefined; ; ) {
      const page = await list(admin, `limit=2${last ? `&before=${last.sequence}` : ''}`)
      paged.push(...page.map(({ title }) => title))
      last = page.at(-1)
      if (!last) break
    }
    assert.deepEqual(paged, await titles(''))
    assert.equal(paged.length, 5)
  })

  test(`18.43 ig change list has the changes by the command line ${on}`, async (t) => {
    const { url, remove } = await database.open()
    t.after(remove)
    const cwd = copyReference()
    const run = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await runVerb(args, { cwd, env: { IG_DATABASE: url }, input: '' })
      assert.equal(code, 0, stderr)
      return stdout
    }
    assert.equal(await run('change', 'list'), 'There are no such changes.\n')
    await run('operator', 'add', 'KIM', '--no-password', '--as', 'lee')
    await run('apply', '.', '--note', 'the first')
    assert.match(
      await run('change', 'list'),
      /^TIME .*WHO .*CHANGE .*DIFFERENCE .*NOTE\n\S+ \S+Z +\S+ +Activated revision 1 .* operations added.*the first\n\S+ \S+Z +lee +Added KIM/s,
    )
  })
})
