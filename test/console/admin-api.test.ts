/** The administration API on real sockets and both databases (specification 18.12 to 18.30). */
import assert from 'node:assert/strict'
import { userInfo } from 'node:os'
import { test } from 'node:test'
import { inTurn } from '../../src/admin/in-turn.ts'
import { openTrial } from '../../src/explain/open-trial.ts'
import { openTestAdmin, type TestAdmin } from '../support/admin.ts'
import { basic, send } from '../support/client.ts'
import { findDatabase, forEachDatabase } from '../support/databases.ts'
import { root } from '../support/gateway.ts'
import { poll } from '../support/poll.ts'

/** An operation that can be made of one that is there. */
async function copyOf({ ask }: TestAdmin, id: string, change: object) {
  const { body } = await ask(`GET /api/operations/${id}`)
  return { ...body.value, ...change }
}

async function newDraft({ ask }: TestAdmin) {
  const { body } = await ask('POST /api/drafts', { body: { title: 'a draft' } })
  return { path: `/api/drafts/${body.id}`, id: String(body.id) }
}

async function activate(admin: TestAdmin, path: string, body: object = {}) {
  const { etag } = await admin.ask(`GET ${path}`)
  return admin.ask(`POST ${path}/activate`, { ifMatch: etag, body })
}

/** Waits until the gateway serves a revision. */
async function untilServed({ opened }: TestAdmin, revision: number) {
  for (;;) {
    const { headers } = await fetch(`${opened.url}${root}/METADATA.v1`)
    if (headers.get('ig-revision') === String(revision)) return
  }
}

forEachDatabase((database) => {
  const on = `(${database.name})`
  const open = (t: Parameters<typeof openTestAdmin>[0], options: object = {}) =>
    openTestAdmin(t, { database, ...options })

  test(`18.17, 18.21 the ETag of an item in one draft changes nothing in another ${on}`, async (t) => {
    const admin = await open(t)
    const { ask } = admin
    const [one, other] = [await newDraft(admin), await newDraft(admin)]
    const { etag, body } = await ask(`GET ${one.path}/operations/ECHO_GET.v1`)
    const change = { ifMatch: etag, body: { ...body.value, description: 'of the first' } }
    assert.equal((await ask(`PUT ${other.path}/operations/ECHO_GET.v1`, change)).status, 412)
    assert.equal((await ask(`PUT ${one.path}/operations/ECHO_GET.v1`, change)).status, 200)
    const draft = await ask(`GET ${one.path}`)
    assert.equal((await ask(`DELETE ${other.path}`, { ifMatch: draft.etag })).status, 412)
  })

  test(`18.20, 18.21, 18.22, 18.23, 18.24 an operation is drafted, reported as invalid, fixed, compared, activated and called ${on}`, async (t) => {
    const admin = await open(t)
    const { ask } = admin
    const { path } = await newDraft(admin)
    const value = await copyOf(admin, 'ECHO_GET.v1', { name: 'ECHO_TWO', alias: undefined, verification: 'Basc' })
    const added = await ask(`POST ${path}/operations`, { body: value })
    assert.deepEqual(
      [added.status, added.headers.get('location'), added.body.state],
      [201, `${path}/operations/ECHO_TWO_GET.v1`, 'added'],
    )
    assert.deepEqual(
      added.body.problems.map(({ path: place }: { path: string }) => place),
      ['verification'],
    )

    const faulty = await ask(`GET ${path}/problems`)
    const [problem] = faulty.body.problems
    assert.equal(faulty.body.isValid, false)
    assert.deepEqual([problem.list, problem.item, problem.field], ['operations', 'ECHO_TWO_GET.v1', 'verification'])
    assert.match(problem.message, /^must be one of NONE, Basic, .*did you mean Basic\?/)
    assert.equal((await ask(`GET ${path}/changes`)).body.code, 'invalidConfiguration')
    assert.equal((await activate(admin, path)).body.code, 'invalidConfiguration')

    const mended = await ask(`PUT ${path}/operations/ECHO_TWO_GET.v1`, {
      ifMatch: added.etag,
      body: { ...value, verification: 'Basic', handler: 'handlers/nowhere.ts' },
    })
    assert.deepEqual([mended.status, mended.body.problems], [200, []])
    const unservable = await ask(`GET ${path}/problems`)
    assert.match(JSON.stringify(unservable.body.problems), /handlers\/nowhere\.ts/)
    const { status } = await ask(`PUT ${path}/operations/ECHO_TWO_GET.v1`, {
      ifMatch: mended.etag,
      body: { ...value, verification: 'Basic' },
    })
    assert.equal(status, 200)
    assert.deepEqual((await ask(`GET ${path}/problems`)).body, { isValid: true, problems: [] })
    const { body: seen } = await ask(`GET ${path}/changes`)
    const [{ fields, ...change }] = seen.changes
    assert.deepEqual([seen.active, seen.base, seen.changes.length], [1, 1, 1])
    assert.deepEqual(change, { kind: 'added', list: 'operations', id: 'ECHO_TWO_GET.v1' })
    assert.deepEqual(
      fields.filter(({ field }: { field: string }) => field === 'verification'),
      [{ field: 'verification', after: 'Basic' }],
    )

    const activated = await activate(admin, path, { note: 'a second echo' })
    assert.deepEqual([activated.status, activated.body.revision], [200, 2])
    await untilServed(admin, 2)
    const answer = await send(admin.opened.url, `GET ${root}/ECHO_TWO.v1/echo/x`, {
      headers: basic('DEMO', 'demo-password'),
    })
    assert.match(answer.text, /<parameter1>x<\/parameter1>/)
    assert.equal((await ask(`GET ${path}`)).status, 404)
    const { body: revisions } = await ask('GET /api/revisions')
    assert.deepEqual(
      revisions.items.map(({ number, note, author, isActive }: Record<string, unknown>) => [
        number,
        note,
        author,
        isActive,
      ]),
      [
        [2, 'a second echo', 'an administrator', true],
        [1, 'made by the first start', userInfo().username, false],
      ],
    )
  })

  test(`18.17, 18.21 of two administrators who edit the same item the second is refused; on different items neither is ${on}`, async (t) => {
    const admin = await open(t)
    const { ask } = admin
    const { path } = await newDraft(admin)
    const item = `${path}/services/REFERENCE`
    const { etag } = await ask(`GET ${item}`)
    const edit = (description: string, ifMatch?: string) =>
      ask(`PUT ${item}`, { body: { name: 'REFERENCE', description }, ...(ifMatch ? { ifMatch } : {}) })
    assert.deepEqual([(await edit('without')).status, (await edit('odd', 'W/"1"')).status], [428, 412])
    const outcomes = await Promise.all([edit('mine', etag), edit('yours', etag)])
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), [200, 412])
    const [won] = outcomes.filter(({ status }) => status === 200)
    assert.deepEqual((await ask(`GET ${item}`)).body, won?.body)

    const list = await ask(`GET ${path}/nodes`)
    const [first, second] = list.body.items
    const both = await Promise.all(
      [first, second].map(({ id, value, etag: tag }) =>
        ask(`PUT ${path}/nodes/${id}`, { ifMatch: `"${tag}"`, body: { ...value, description: 'edited' } }),
      ),
    )
    assert.deepEqual(
      both.map(({ status }) => status),
      [200, 200],
    )
    const reverted = await ask(`POST ${item}/revert`, { ifMatch: won?.etag ?? '' })
    assert.deepEqual([reverted.status, reverted.body.item.state], [200, 'unchanged'])
    assert.match(reverted.body.item.etag, /\.1\.0$/)
    assert.equal((await edit('later', won?.etag)).status, 412)
  })

  test(`18.21, 18.30 items are added once, even by concurrent requests, removed, reverted and found ${on}`, async (t) => {
    const admin = await open(t)
    const { ask } = admin
    const { path } = await newDraft(admin)
    const add = (name: string) => ask(`POST ${path}/services`, { body: { name } })
    const made = await add('NEW')
    assert.equal(made.status, 201)
    assert.equal((await add('NEW')).body.code, 'conflict')
    assert.equal((await add('REFERENCE')).body.code, 'conflict')
    const [entry] = (await ask('GET /api/audit')).body.items
    assert.match(entry.subject, /^draft [\w-]{36} ".+" Service NEW$/)
    const racing = await Promise.all(Array.from({ length: 8 }, () => add('RACED')))
    const codes = racing.map(({ status, body }) => `${status} ${body.code ?? ''}`).sort()
    assert.deepEqual(codes, ['201 ', ...Array.from({ length: 7 }, () => '409 conflict')])
    assert.equal(
      (await ask(`DELETE ${path}/services/RACED`, { ifMatch: (await ask(`GET ${path}/services/RACED`)).etag })).status,
      200,
    )
    assert.equal(
      (await ask(`POST ${path}/services`, { body: { description: 'no name' } })).body.problems[0].path,
      'name',
    )
    const { etag } = await ask(`GET ${path}/services/REFERENCE`)
    const removed = await ask(`DELETE ${path}/services/REFERENCE`, { ifMatch: etag })
    assert.deepEqual([removed.status, removed.body.state], [200, 'removed'])
    assert.equal((await add('REFERENCE')).status, 201)
    assert.equal((await ask(`DELETE ${path}/services/NEW`, { ifMatch: made.etag })).body.state, 'removed')
    assert.equal((await ask(`GET ${path}/services/NEW`)).status, 404)
    const { body } = await ask(`GET ${path}/services?isEdited=true`)
    assert.deepEqual([body.total, body.items[0].id, body.items[0].state], [1, 'REFERENCE', 'changed'])
    assert.equal((await ask(`GET ${path}/services/NOWHERE`)).body.detail, 'There is no Service NOWHERE in the draft.')
  })

  test(`41.1, 41.2, 41.3, 41.4, 41.5, 41.6 a draft is tried: its operations and permissions decide, and nothing of the call remains ${on}`, async (t) => {
    const properties = { 'ig.monitor': 'on', 'ig.passThrough.origins': 'https://other.example' }
    const admin = await open(t, { properties })
    const { ask, opened, observations } = admin
    const { gateway } = opened
    const { path, id } = await newDraft(admin)
    const cached = await copyOf(admin, 'CACHED_TIME_GET.v1', { alias: undefined })
    const staging = await copyOf(admin, 'KEY_VALUE_POST.v1', { alias: undefined })
    const handler = { passThrough: 'https://other.example' }
    for (const body of [
      { ...staging, name: 'DRAFTED' },
      { ...cached, name: 'ELSEWHERE', handler, cacheKeyPolicy: undefined },
    ])
      assert.equal((await ask(`POST ${path}/operations`, { body })).status, 201)
    const list = `${path}/permission-lists/PUBLIC`
    const { etag, body: known } = await ask(`GET ${list}`)
    await ask(`PUT ${list}`, { ifMatch: etag, body: { ...known.value, operations: ['METADATA_GET.v1'] } })

    const trial = (body: object) => ask(`POST ${path}/try`, { body: { method: 'GET', operator: 'DEMO', ...body } })
    const handlerOf = (body: { decisions: { step: string }[] }) => body.decisions.find(({ step }) => step === 'handler')
    const row = '<request><row><key>drafted</key><value>1</value></row></request>'
    const headers = [{ name: 'Idempotency-Key', value: 'once' }]
    for (const _ of [1, 2]) {
      const { status, body } = await trial({ method: 'POST', path: '/DRAFTED.v1', body: row, headers })
      assert.deepEqual([status, body.status, body.notes], [200, 200, []], JSON.stringify(body))
      assert.match(body.body, /KeyValuePost|transaction|DEMO/i)
      assert.ok(!body.headers.some(({ name }: { name: string }) => name === 'ig-idempotent-replay'))
    }
    const stored = await ask('POST /api/try', {
      body: { method: 'GET', path: '/KEY_VALUE.v1/drafted', operator: 'DEMO' },
    })
    assert.doesNotMatch(stored.body.body, /drafted/)

    for (const _ of [1, 2]) assert.equal((await trial({ path: '/CACHED_TIME.v1/' })).body.status, 200)
    assert.equal(gateway.restCache.knows('CACHED_TIME_GET.v1'), false)
    const elsewhere = (await trial({ path: '/ELSEWHERE.v1/' })).body
    assert.deepEqual([elsewhere.status, elsewhere.body], [501, 'A trial passes no call to another server.'])
    assert.deepEqual(handlerOf(elsewhere), { step: 'handler', outcome: 'not run', text: elsewhere.body })

    const echo = { path: '/ECHO.v1/echo/x', operator: 'GUEST' }
    const refused = (await trial(echo)).body.decisions.find(({ step }: { step: string }) => step === 'permission')
    assert.deepEqual([refused.outcome, refused.refusal], ['refused', 'permissionDenied'])
    assert.equal((await ask('POST /api/try', { body: { method: 'GET', ...echo } })).body.status, 200)

    const tried = observations.filter((each) => each.kind === 'answered' && each.trial === 'a draft')
    assert.equal(tried.length, 6)
    assert.doesNotMatch((await admin.ask('GET /metrics')).body, /DRAFTED|ELSEWHERE/)
    const [entry] = (await ask('GET /api/audit?action=tryDraft&limit=1')).body.items
    assert.deepEqual([entry.subject, entry.after], [`draft ${id} "a draft" GET /ECHO.v1/echo/x`, { operator: 'GUEST' }])
    const monitored = async () => (await ask('GET /api/monitor/transactions?operation=ELSEWHERE_GET.v1')).body.items
    await poll(async () => (await monitored()).length > 0)
    assert.equal((await monitored())[0].reason, 'trial of the draft "a draft"')

    const { gateway: bounded, outside } = openTrial(gateway, gateway.catalog, () => {})
    const run = { signal: AbortSignal.abort(), headers: {} }
    await assert.rejects(async () => bounded.shared.fetch('https://other.example/path?secret', {}, run))
    assert.deepEqual([...outside], ['called https://other.example with context.fetch'])
    await ask(`POST ${path}/services`, { body: { name: 'bad name' } })
    assert.equal((await trial(echo)).body.code, 'invalidConfiguration')
  })

  test(`18.23, 18.24 a draft that another activation has overtaken is rebased, and what changed on both sides is named ${on}`, async (t) => {
    const admin = await open(t)
    const { ask } = admin
    const describe = async (path: string, description: string) => {
      const { etag } = await ask(`GET ${path}/services/REFERENCE`)
      return ask(`PUT ${path}/services/REFERENCE`, { ifMatch: etag, body: { name: 'REFERENCE', description } })
    }
    const [one, two] = [await newDraft(admin), await newDraft(admin)]
    await describe(one.path, 'one')
    await describe(two.path, 'two')
    await ask(`POST ${two.path}/services`, { body: { name: 'TWO' } })
    const before = (await ask(`GET ${two.path}`)).etag
    assert.equal((await activate(admin, one.path)).status, 200)
    assert.equal((await activate(admin, two.path)).body.code, 'baseOutdated')
    assert.equal((await ask(`GET ${two.path}`)).body.isOutdated, true)
    const rebased = await ask(`POST ${two.path}/rebase`, { ifMatch: before })
    assert.deepEqual(
      [rebased.status, rebased.body],
      [200, { base: 2, conflicts: [{ list: 'services', id: 'REFERENCE' }] }],
    )
    assert.equal(
      (await ask(`POST ${two.path}/activate`, { ifMatch: before, body: {} })).body.code,
      'preconditionFailed',
    )
    const { body: seen, etag } = await ask(`GET ${two.path}/changes`)
    assert.deepEqual(seen.changes, [
      {
        kind: 'changed',
        list: 'services',
        id: 'REFERENCE',
        fields: [{ field: 'description', before: 'one', after: 'two' }],
      },
      { kind: 'added', list: 'services', id: 'TWO', fields: [{ field: 'name', after: 'TWO' }] },
    ])
    assert.equal((await ask(`POST ${two.path}/activate`, { ifMatch: etag, body: {} })).body.revision, 3)
    const empty = await newDraft(admin)
    assert.equal((await activate(admin, empty.path)).body.code, 'conflict')
  })

  test(`13.10, 18.24, 18.25 losses for clients require force, and a rollback requires the active revision ${on}`, async (t) => {
    const admin = await open(t)
    const { ask } = admin
    const { path } = await newDraft(admin)
    const { etag } = await ask(`GET ${path}/operations/CACHED_TIME_GET.v1`)
    await ask(`DELETE ${path}/operations/CACHED_TIME_GET.v1`, { ifMatch: etag })
    const lists = (await ask(`GET ${path}/permission-lists`)).body.items
    for (const { id, value, etag: tag } of lists)
      await ask(`PUT ${path}/permission-lists/${id}`, {
        ifMatch: `"${tag}"`,
        body: { ...value, operations: value.operations.filter((each: string) => !each.startsWith('CACHED')) },
      })
    const refused = await activate(admin, path)
    assert.deepEqual(
      [refused.status, refused.body.code, refused.body.problems[0].path],
      [409, 'clientsLose', 'CACHED_TIME_GET.v1'],
    )
    assert.equal((await activate(admin, path, { force: true })).body.revision, 2)
    await untilServed(admin, 2)
    assert.deepEqual((await ask('GET /api/drift')).body.hasDrift, true)

    const inForce = await ask('GET /api/activation')
    assert.equal(inForce.body.revision, 2)
    const rollBack = (ifMatch: string, revision = 1, more = {}) =>
      ask('PUT /api/activation', { ifMatch, body: { revision, note: 'back', ...more } })
    assert.deepEqual([(await rollBack('"revision-1"')).status, (await rollBack(inForce.etag)).status], [412, 200])
    await untilServed(admin, 1)
    const drift = (await ask('GET /api/drift')).body
    assert.deepEqual(drift, { managedBy: 'revisions', revision: 1, hasDrift: false, changes: [] })
    const { body: history } = await ask('GET /api/activations')
    assert.deepEqual(
      history.items.map(({ revision }: { revision: number }) => revision),
      [1, 2, 1],
    )
    const lossy = await rollBack('"revision-1"', 2)
    assert.deepEqual([lossy.body.code, lossy.body.problems[0].path], ['clientsLose', 'CACHED_TIME_GET.v1'])
    assert.equal((await rollBack('"revision-1"', 2, { force: true, dryRun: true })).status, 200)
    assert.equal((await ask('GET /api/activation')).body.revision, 1)
    const { body: diff } = await ask('GET /api/revisions/2/changes?from=1')
    assert.ok(
      diff.changes.some(
        ({ kind, id }: { kind: string; id: string }) => kind === 'removed' && id === 'CACHED_TIME_GET.v1',
      ),
    )
    assert.equal((await ask('PUT /api/activation', { ifMatch: '"revision-1"', body: { revision: 99 } })).status, 404)
    assert.equal((await ask('GET /api/revisions/1/configuration')).body.services[0].name, 'REFERENCE')
  })

  test(`18.20 where files are served the configuration is read-only, and says so; operators are not ${on}`, async (t) => {
    const admin = await open(t, { servesFiles: true })
    const { ask } = admin
    const { body } = await ask('GET /api/operations/ECHO_GET.v1')
    assert.equal(body.managedBy, 'files')
    for (const line of ['POST /api/drafts', 'GET /api/activation', 'GET /api/drafts/x', 'GET /api/drafts/x/problems']) {
      const refused = await ask(line, line.startsWith('POST') ? { body: { title: 'x' } } : {})
      if (line === 'GET /api/drafts/x') assert.equal(refused.status, 404)
      else assert.deepEqual([refused.status, refused.body.code], [409, 'managedByFiles'], line)
    }
    assert.deepEqual((await ask('GET /api/drift')).body, {
      managedBy: 'files',
      revision: null,
      hasDrift: false,
      changes: [],
    })
    assert.equal((await ask('PUT /api/operators/DEMO/lock')).status, 204)
  })

  test(`18.19, 37.12, 37.14 operators are added, changed, granted, locked, deleted and imported, and the gateway follows within a second ${on}`, async (t) => {
    const admin = await open(t)
    const { ask } = admin
    const id = 'Ö <b>&"\'/ %2F'
    const path = `/api/operators/${encodeURIComponent(id)}`
    const made = await ask('POST /api/operators', {
      body: {
        id,
        password: 'kim-password',
        description: '<script>',
        emails: [{ type: 'business', address: 'kim@example.com', isPrimary: true }],
        permissionLists: ['REFERENCE_ALL'],
      },
    })
    assert.deepEqual([made.status, made.headers.get('location'), made.body.hasPassword], [201, path, true])
    assert.doesNotMatch(JSON.stringify(made.body), /argon2/)
    assert.equal((await ask('POST /api/operators', { body: { id } })).body.code, 'conflict')
    assert.deepEqual((await ask('POST /api/operators', { body: { id: 'a:b' } })).body.problems[0].path, 'id')
    assert.match(
      (await ask('POST /api/operators', { body: { id: 'X', permissionLists: ['NOWHERE'] } })).body.detail,
      /NOWHERE/,
    )

    const call = () => send(admin.opened.url, `GET ${root}/METADATA_BASIC.v1`, { headers: basic(id, 'kim-password') })
    const until = async (status: number) => {
      await poll(async () => (await call()).status === status)
    }
    await until(200)
    assert.equal((await ask(`PUT ${path}/lock`, { as: 'operator' })).status, 204)
    await until(401)
    assert.equal((await ask(`DELETE ${path}/lock`, { as: 'operator' })).status, 204)
    await until(200)
    assert.equal((await ask(`DELETE ${path}/permission-lists/REFERENCE_ALL`, { as: 'operator' })).status, 204)
    assert.equal((await ask(`DELETE ${path}/permission-lists/REFERENCE_ALL`, { as: 'operator' })).status, 404)
    await poll(async () => /not authorized/.test((await call()).text))
    assert.equal((await ask(`PUT ${path}/permission-lists/PUBLIC`, { as: 'operator' })).status, 204)

    const { etag } = await ask(`GET ${path}`)
    const emails = [{ type: 'home', address: 'Kim@example.org', isPrimary: true }]
    const changes = await Promise.all(
      [0, 1].map((n) => ask(`PATCH ${path}`, { ifMatch: etag, body: n ? { emails } : { description: 'Kim' } })),
    )
    assert.deepEqual(changes.map(({ status }) => status).sort(), [200, 412])
    assert.equal((await ask(`PATCH ${path}`, { body: { emails } })).status, 428)
    const { etag: ifMatch } = await ask(`GET ${path}`)
    const wrong = await ask(`PATCH ${path}`, { ifMatch, body: { certificates: ['sha256:00'] } })
    assert.deepEqual([wrong.status, wrong.body.problems[0].path], [400, 'certificates[0]'])
    const certificates = ['subject: CN = kim; issuer: CN=ca']
    const certified = await ask(`PATCH ${path}`, { ifMatch, body: { certificates } })
    assert.deepEqual(certified.body.certificates, ['subject: CN=kim; issuer: CN=ca'])
    const { body: audit } = await ask('GET /api/audit?limit=1')
    assert.deepEqual(
      [audit.items[0].action, audit.items[0].after],
      ['changeOperator', { certificates: certified.body.certificates }],
    )
    assert.equal((await ask(`PUT ${path}/password`, { body: { password: 'quite another one' } })).status, 204)
    await until(401)
    const { body: found } = await ask('GET /api/operators?search=KIM&limit=1')
    assert.deepEqual([found.total, found.items[0].id, found.items[0].permissionLists], [1, id, ['PUBLIC']])
    assert.equal((await ask('GET /api/operators?isLocked=true')).body.items[0].id, 'LOCKED')
    const find = async (query: string) =>
      (await ask(`GET /api/operators?${query}`)).body.items.map((each: { id: string }) => each.id)
    assert.deepEqual([await find('search=%252f'), await find('search=_')], [[id], []], 'no pattern of the database')
    assert.deepEqual([await find('search=%C3%B6'), await find('search=KIM%40EX&sort=-id')], [[id], [id]])
    assert.deepEqual(await find('permissionList=PUBLIC&sort=-isLocked&limit=2'), ['GUEST', id])
    assert.deepEqual(await find('sort=description&limit=1&offset=1'), ['DEMO'])

    assert.equal((await ask(`DELETE ${path}`, { as: 'operator' })).status, 403)
    const asNow = () =>
      send(admin.opened.url, `GET ${root}/METADATA_BASIC.v1`, { headers: basic(id, 'quite another one') })
    await poll(async () => (await asNow()).status !== 401)
    assert.equal((await ask(`DELETE ${path}`)).status, 204)
    await poll(async () => (await asNow()).status === 401)
    const { body: deleted } = await ask('GET /api/audit?limit=1')
    assert.deepEqual(
      [deleted.items[0].action, deleted.items[0].subject, deleted.items[0].before.permissionLists],
      ['deleteOperator', id, ['PUBLIC']],
    )
    assert.doesNotMatch(JSON.stringify(deleted), /argon2/)
    assert.equal((await ask(`GET ${path}`)).status, 404)
    assert.equal((await ask(`DELETE ${path}`)).status, 404)
    assert.equal((await ask('POST /api/operators', { body: { id, password: 'kim-password' } })).body.emails.length, 0)
    await poll(async () => /not authorized/.test((await call()).text))

    const before = (await ask('GET /api/operator-file')).body
    const read = async () => (await ask('GET /api/operator-file')).body.text
    const post = (text: string, dryRun = false) =>
      ask('POST /api/operator-file', { body: { format: 'csv', text, dryRun } })
    assert.doesNotMatch(before.text, /argon2/)
    const { unchanged, ...same } = (await post(before.text)).body
    assert.deepEqual(same, { isStored: true, added: 0, changed: 0, changes: [] })
    assert.equal(unchanged, before.operators)
    const bad = await post(`id,permissionLists\nNEW,PUBLIC\n${'A:B,PUBLIC\n'.repeat(1000)}LATE,NOWHERE\n`)
    assert.deepEqual([bad.status, bad.body.code, bad.body.problems.length], [400, 'invalid', 1001])
    assert.deepEqual(bad.body.problems.at(-1).path, 'line 1003, permissionLists:')
    const file = '\ufeffid,description,passwordSha1Utf16le\nNEW,"=1, ""x""",uXmFVrdBvv293L9kDR3VnRmx4ZM=\n'
    const planned = (await post(file, true)).body
    assert.deepEqual([planned.isStored, planned.added, planned.changes[0].after.password], [false, 1, '***'])
    assert.equal(await read(), before.text)
    assert.equal((await post(file)).body.added, 1)
    assert.match(await read(), /\r\nNEW,"'=1, ""x""",false,/)
    const { body: imported } = await ask('GET /api/audit?limit=1')
    assert.deepEqual([imported.items[0].action, imported.items[0].after.added], ['importOperators', 1])
    const asNew = () => send(admin.opened.url, `GET ${root}/METADATA_BASIC.v1`, { headers: basic('NEW', 'hashcat') })
    await poll(async () => /not authorized/.test((await asNew()).text))
    const digests = Array.from({ length: 1001 }, (_, n) => `N${n},uXmFVrdBvv293L9kDR3VnRmx4ZM=\n`).join('')
    const many = await post(`id,passwordSha1Utf16le\n${digests}`, true)
    assert.match(many.body.problems[0].message, /has 1001 old passwords/)

    const holders = '/api/permission-lists/REFERENCE_ALL/operators'
    const set = (operators: readonly string[], dryRun = false) =>
      ask(`PUT ${holders}`, { as: 'operator', body: { operators, dryRun } })
    const held = (await ask(`GET ${holders}`)).body.operators
    assert.ok(held.includes('DEMO') && !held.includes('NEW'))
    const refused = await set(['NEW', 'NOBODY', 'NO ONE'])
    const places = refused.body.problems.map((problem: { path: string }) => problem.path)
    assert.deepEqual(places, ['operators[1]', 'operators[2]'])
    assert.equal((await set(['NEW'], true)).body.changed, held.length + 1)
    assert.deepEqual((await ask(`GET ${holders}`)).body.operators, held)
    assert.deepEqual((await set([...held, 'NEW'])).body.changes[0].gains, ['REFERENCE_ALL'])
    await poll(async () => (await asNew()).status === 200)
    assert.equal((await set(held)).body.changed, 1)
    assert.deepEqual((await ask(`GET ${holders}`)).body.operators, held)
    assert.equal((await ask('PUT /api/permission-lists/NONE/operators', { body: { operators: [] } })).status, 404)
  })

  test(`18.27 entries of the REST cache are listed, and are deleted by operation and by URL ${on}`, async (t) => {
    const admin = await open(t)
    const { ask, opened } = admin
    const url = (query: string) => `${root}/CACHED_TIME.v1/?n=${query}`
    const call = async (query: string) =>
      (await send(opened.url, `GET ${url(query)}`, { headers: basic('DEMO', 'demo-password') })).text
    const list = () => ask('GET /api/rest-cache?operation=CACHED_TIME_GET.v1')
    const one = await call('1')
    await poll(async () => (await list()).body.total === 1) // it is stored after the reply, and the list is in that order
    const first = [one, await call('2')]
    await poll(async () => (await list()).body.total === 2)
    const { body } = await list()
    assert.deepEqual([body.total, ...body.items.map((item: { url: string }) => item.url)], [2, url('2'), url('1')])
    const remove = (line: string) => ask(`DELETE /api/rest-cache/CACHED_TIME_GET.v1${line}`, { as: 'operator' })
    const whole = `https://gateway.example.com${url('1')}`
    assert.deepEqual((await remove(`/entry?url=${encodeURIComponent(whole)}`)).body, { deleted: 1 })
    assert.deepEqual((await remove(`/entry?url=${encodeURIComponent(url('1'))}`)).body, { deleted: 0 })
    const second = [await call('1'), await call('2')]
    assert.deepEqual([second[0] === first[0], second[1] === first[1]], [false, true])
    assert.equal((await remove('')).status, 204)
    assert.deepEqual((await ask('GET /api/rest-cache')).body.total, 0)
    assert.notEqual(await call('2'), first[1])
    assert.equal((await ask('DELETE /api/rest-cache/NOWHERE_GET.v1')).status, 404)
  })

  test(`18.30 every change is an audit entry with who and what, before and after, without secrets ${on}`, async (t) => {
    const admin = await open(t)
    const { ask } = admin
    await ask('PUT /api/operators/DEMO/lock', { as: 'operator' })
    await ask('PUT /api/operators/DEMO/password', { body: { password: 'very-secret-1' } })
    await ask('POST /api/operators', { body: { id: 'KIM', password: 'very-secret-2' } })
    await ask('POST /api/tokens', { body: { name: 'nightly', role: 'viewer' } })
    await ask('DELETE /api/rest-cache/ECHO_GET.v1', { as: 'operator' })
    await ask('PUT /api/operators/NOBODY/lock') // changes nothing
    const { path } = await newDraft(admin)
    const description = 'https://kim:very-secret-3@example.com/?access_token=very-secret-4&readable=1'
    await ask(`POST ${path}/services`, { body: { name: 'NEW', description } })
    await activate(admin, path)
    const { body } = await ask('GET /api/audit')
    const told = body.items.map(
      ({ actor, action, subject }: Record<string, string>) =>
        `${actor}: ${action} ${subject?.replace(/[\da-f-]{36}/, '…')}`,
    )
    assert.deepEqual(
      told.reverse().filter((line: string) => !line.includes('createSession')),
      [
        'an operator: lockOperator DEMO',
        'an administrator: setOperatorPassword DEMO',
        'an administrator: createOperator KIM',
        'an administrator: createToken …',
        'an operator: deleteOperationCache ECHO_GET.v1',
        'an administrator: createDraft draft … "a draft"',
        'an administrator: addDraftService draft … "a draft" Service NEW',
        'an administrator: activateDraft revision 2',
      ],
    )
    const [lock] = (await ask('GET /api/audit?action=lockOperator&actor=an%20operator&subject=DEM')).body.items
    assert.deepEqual(
      [lock.before, lock.after, lock.address, lock.via],
      [{ isLocked: false }, { isLocked: true }, '127.0.0.1', 'session'],
    )
    assert.doesNotMatch(JSON.stringify(body), /very-secret|argon2|csrf/i)
    assert.match(JSON.stringify(body), /kim:\[redacted\]@example\.com\/\?access_token=\[redacted\]&readable=1/)
    const page = (await ask('GET /api/audit?limit=2')).body.items
    const next = (await ask(`GET /api/audit?limit=2&before=${page[1].sequence}`)).body.items
    assert.deepEqual([page[0].sequence - 1, page[1].sequence - 1], [page[1].sequence, next[0].sequence])
  })

  test(`18.30 a list of audit entries leaves out long values on request, and one entry is returned whole ${on}`, async (t) => {
    const { ask } = await open(t)
    const description = 'ä'.repeat(500) // 1,000 bytes, and quotation marks
    await ask('POST /api/operators', { body: { id: 'KIM', description } })
    await ask('PUT /api/operators/KIM/lock')
    await ask('POST /api/tokens', { body: { name: 'nightly', role: 'viewer' } })
    const [token, lock, kim] = (await ask('GET /api/audit')).body.items
    const { before, after, ...rest } = kim
    assert.deepEqual([before, after.description], [undefined, description])
    const short = (await ask('GET /api/audit?isShort=true')).body.items
    assert.deepEqual(short.slice(0, 3), [
      { ...token, isCut: false },
      { ...lock, isCut: false },
      { ...rest, isCut: true },
    ])
    const one = (entry: { readonly sequence: number }, as: 'administrator' | 'viewer' = 'administrator') =>
      ask(`GET /api/audit/${entry.sequence}`, { as })
    assert.deepEqual((await one(kim)).body, kim)
    assert.deepEqual((await one(kim, 'viewer')).body, { ...kim, address: '' })
    assert.equal((await one(token, 'viewer')).status, 404)
    assert.equal((await one({ sequence: 1000 })).status, 404)
  })

  test(`18.30 for concurrent changes each entry has what was before it, and none is lost ${on}`, async (t) => {
    const { ask, opened } = await open(t)
    const names = opened.gateway.catalog.configuration.permissionLists.map(({ name }) => name)
    const lists = [...names, ...names, ...names]
    await ask('POST /api/operators', { body: { id: 'KIM' } })
    const all = lists.flatMap((list) =>
      ['PUT', 'DELETE'].map((method) => `${method} /api/operators/KIM/permission-lists/${list}`),
    )
    await Promise.all([
      ...all.map((route) => ask(route)),
      ...[...all.keys()].map((n) => ask(`${n % 2 === 0 ? 'PUT' : 'DELETE'} /api/operators/KIM/lock`)),
    ])
    const entries = (await ask('GET /api/audit?limit=200&subject=KIM')).body.items.reverse().slice(1)
    let now = { isLocked: false, permissionLists: [] as string[] }
    for (const { before, after } of entries) {
      assert.deepEqual({ ...now, ...before }, now)
      now = { ...now, ...after }
    }
    const { isLocked, permissionLists } = (await ask('GET /api/operators/KIM')).body
    assert.deepEqual({ isLocked, permissionLists }, now)
  })

  test(`18.12 another role, a lock and a new password take effect with the next request, and the last administrator stays ${on}`, async (t) => {
    const { ask, sessionOf } = await open(t)
    const read = async () => (await ask('GET /api/administrators/an%20operator')).etag
    const change = (body: object, ifMatch: string, name = 'an%20operator') =>
      ask(`PATCH /api/administrators/${name}`, { body, ifMatch })
    await sessionOf('operator')
    const lock = () => ask('PUT /api/operators/DEMO/lock', { as: 'operator' })
    const lockOf = (method: 'PUT' | 'DELETE', name = 'an%20operator') =>
      ask(`${method} /api/administrators/${name}/lock`)
    assert.equal((await lock()).status, 204)
    const etag = await read()
    assert.equal((await change({ role: 'viewer' }, etag)).status, 204)
    assert.deepEqual([(await lock()).status, (await change({ role: 'operator' }, etag)).status], [403, 412])
    assert.equal((await lockOf('PUT')).status, 204)
    assert.equal((await lock()).status, 401)
    await lockOf('DELETE')
    await sessionOf('viewer')
    const make = { name: 'nightly', role: 'viewer' }
    const [theirs, other] = [
      (await ask('POST /api/tokens', { as: 'viewer', body: make })).body,
      (await ask('POST /api/tokens', { body: make })).body,
    ]
    const withToken = async ({ token }: { token: string }) =>
      (await ask('GET /api/state', { headers: { authorization: `Bearer ${token}` } })).status
    assert.deepEqual([await withToken(theirs), await withToken(other)], [200, 200])
    assert.equal(
      (await ask('PUT /api/administrators/an%20viewer/password', { body: { password: 'another long one' } })).status,
      204,
    )
    assert.equal((await ask('GET /api/state', { as: 'viewer' })).status, 401)
    assert.deepEqual([await withToken(theirs), await withToken(other)], [401, 200])
    const { etag: own } = await ask('GET /api/administrators/an%20administrator')
    for (const last of [change({ role: 'viewer' }, own, 'an%20administrator'), lockOf('PUT', 'an%20administrator')])
      assert.equal((await last).body.code, 'conflict')
    const made = await ask('POST /api/administrators', {
      body: { name: 'sam', role: 'administrator', password: 'a third long one' },
    })
    assert.deepEqual([made.status, made.body.role], [201, 'administrator'])
    assert.equal((await change({ role: 'viewer' }, own, 'an%20administrator')).status, 204)
  })
})

test('18.14 it is listed what names an item or an operator, in the active configuration and in a draft', async (t) => {
  const { ask } = await openTestAdmin(t, { database: findDatabase('SQLite') })
  const usesOf = async (list: string, id: string, draft = '') => {
    const { body } = await ask(`GET /api/uses?list=${list}&id=${encodeURIComponent(id)}${draft && `&draft=${draft}`}`)
    return body.items.map((use: { list: string; id: string; field: string }) => `${use.list} ${use.id} ${use.field}`)
  }
  assert.deepEqual(await usesOf('messages', 'KEY_VALUE_PARAMETERS'), [
    ...['GET', 'PUT', 'DELETE'].map((method) => `operations KEY_VALUE_${method}.v1 documentTemplate`),
  ])
  assert.ok((await usesOf('operations', 'ECHO_GET.v1')).includes('permissionLists REFERENCE_ALL services'))
  assert.deepEqual(await usesOf('operators', 'GUEST'), ['nodes ANONYMOUS defaultUser'])
  assert.deepEqual(await usesOf('operators', 'NOBODY'), [])
  const { body: draft } = await ask('POST /api/drafts', { body: { title: 'Uses' } })
  const list = { name: 'ECHO_ONLY', operations: ['ECHO_GET.v1'] }
  assert.equal((await ask(`POST /api/drafts/${draft.id}/permission-lists`, { body: list })).status, 201)
  const use = 'permissionLists ECHO_ONLY operations'
  assert.ok((await usesOf('operations', 'ECHO_GET.v1', draft.id)).includes(use))
  assert.ok(!(await usesOf('operations', 'ECHO_GET.v1')).includes(use))
  assert.equal((await ask('GET /api/uses?list=nowhere&id=x')).status, 400)

  const countsOf = async (query: string) => (await ask(`GET /api/use-counts?list=${query}`)).body.items
  const none = { operations: 0, holders: 0 }
  assert.deepEqual(await countsOf('messages&id=KEY_VALUE_PARAMETERS&id=NONE'), [
    { id: 'KEY_VALUE_PARAMETERS', uses: 3, ...none },
    { id: 'NONE', uses: 0, ...none },
  ])
  const [all, pub] = await countsOf('permissionLists&id=REFERENCE_ALL&id=PUBLIC')
  assert.deepEqual(
    [all.id, all.uses, all.operations > pub.operations, pub.operations > 0],
    ['REFERENCE_ALL', 0, true, true],
  )
  assert.equal(pub.holders, (await ask('GET /api/permission-lists/PUBLIC/operators')).body.operators.length)
  const tooMany = Array.from({ length: 101 }, (_, at) => `&id=${at}`).join('')
  assert.equal((await ask(`GET /api/use-counts?list=services${tooMany}`)).status, 400)
})

test('18.15 lists come in pages, and are searched and filtered; an invalid page is reported with its parameter', async (t) => {
  const { ask } = await openTestAdmin(t, { database: findDatabase('SQLite') })
  const ids = async (query: string) => {
    const { body } = await ask(`GET /api/operations?${query}`)
    return [body.total, ...body.items.map(({ id }: { id: string }) => id)]
  }
  assert.deepEqual(await ids('search=key_value&limit=2&offset=1'), [4, 'KEY_VALUE_GET.v1', 'KEY_VALUE_POST.v1'])
  assert.deepEqual(await ids('method=PUT'), [1, 'KEY_VALUE_PUT.v1'])
  assert.deepEqual(await ids('verification=OAuth2'), [1, 'METADATA_OAUTH2_GET.v1'])
  assert.deepEqual(await ids('offset=100'), [11])
  assert.deepEqual(await ids('sort=-id&limit=2'), [11, 'PSTOKEN_GET.v1', 'METADATA_TOKEN_GET.v1'])
  assert.deepEqual(await ids('search=key_value&sort=value.method&limit=2'), [
    ...[4, 'KEY_VALUE_DELETE.v1', 'KEY_VALUE_GET.v1'],
  ])
  assert.deepEqual((await ids('sort=value.alias&limit=1')).length, 2, 'without the field, the order stays')
  const operators = async (query: string) =>
    (await ask(`GET /api/operators?${query}`)).body.items?.map(({ id }: { id: string }) => id)
  assert.deepEqual(await operators('sort=-isLocked&limit=2'), ['LOCKED', 'DEMO'])
  assert.deepEqual(await operators('sort=-permissionLists&limit=1'), ['DEMO'])
  assert.equal((await operators('sort=permissionLists')).at(-1), 'NOPERM')
  assert.equal((await ask('GET /api/operators?sort=passwordHash')).status, 400, 'no order by a secret')
  for (const query of ['limit=0', 'limit=501', 'limit=x', 'offset=-1', 'sort=a b']) {
    const { status, body } = await ask(`GET /api/operations?${query}`)
    assert.deepEqual([status, body.code, body.problems[0].path], [400, 'invalid', query.split('=')[0]])
  }
})

test('18.23 configurations are compared one after the other, and too many at once are refused', async () => {
  const log: string[] = []
  function* work(name: string): Generator<void, string> {
    log.push(`${name} begins`)
    for (const end = performance.now() + 10; performance.now() < end; ) yield
    log.push(`${name} ends`)
    return name
  }
  const asked = Array.from({ length: 18 }, (_, index) => inTurn(work(`${index}`)))
  const outcomes = await Promise.allSettled(asked)
  assert.deepEqual(
    outcomes.map((each) => (each.status === 'fulfilled' ? each.value : each.reason.code)),
    [...Array.from({ length: 17 }, (_, index) => `${index}`), 'overloaded'],
  )
  assert.deepEqual(log, Array.from({ length: 17 }, (_, index) => [`${index} begins`, `${index} ends`]).flat())
})

test('18.14 the audit is followed by the sequence of the last entry', async (t) => {
  const { ask } = await openTestAdmin(t, { database: findDatabase('SQLite') })
  const [newest] = (await ask('GET /api/audit?limit=1')).body.items
  const all = (await ask('GET /api/audit?after=0&limit=200')).body.items.map(
    ({ sequence }: { sequence: number }) => sequence,
  )
  assert.deepEqual(
    all,
    Array.from({ length: newest.sequence }, (_, at) => at + 1),
  )
  const later = (await ask(`GET /api/audit?after=${newest.sequence - 1}`)).body.items
  assert.deepEqual(
    later.map(({ sequence }: { sequence: number }) => sequence),
    [newest.sequence],
  )
  assert.deepEqual((await ask(`GET /api/audit?after=${newest.sequence}`)).body.items, [])
})
