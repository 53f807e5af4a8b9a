/** Activations that a process refuses, or does not answer (specification 13.17, 13.18, 18.24, 18.25). */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { confirmActivation, revertActivation } from '../../src/project/confirm-activation.ts'
import { openHandlers, openProject } from '../../src/project/open-project.ts'
import { openStore } from '../../src/store/open-store.ts'
import { listProcesses, processLostAfter } from '../../src/store/processes.ts'
import { openTestAdmin } from '../support/admin.ts'
import { ig, makeProject, serve } from '../support/cli.ts'
import { send } from '../support/client.ts'
import { clusterFiles, connector } from '../support/cluster-project.ts'
import { forEachDatabase, type TestDatabase } from '../support/databases.ts'
import { openServed, readTestSettings, referenceFolder } from '../support/gateway.ts'
import { poll } from '../support/poll.ts'

/** A store that the command line and instances share; each instance has a folder, and code, of its own. */
async function openPlace(t: TestContext, database: TestDatabase) {
  const { url, remove } = await database.open()
  t.after(remove)
  const store = await openStore(url)
  t.after(() => store.close())
  await store.operators.add({ id: 'GUEST', permissionLists: ['ALL'] })
  const settings = readTestSettings('nowhere', { 'ig.database': url })
  return {
    store,
    url,
    folder: makeProject(clusterFiles),
    apply: (folder: string, ...args: readonly string[]) =>
      ig(['apply', folder, ...args], { env: { IG_DATABASE: url } }),
    rollback: (folder: string, ...args: readonly string[]) =>
      ig(['rollback', '--project', folder, ...args], { env: { IG_DATABASE: url } }),
    list: (folder: string) => ig(['revision', 'list', '--project', folder], { env: { IG_DATABASE: url } }),
    async start(folder = makeProject(clusterFiles)) {
      const project = await openProject(folder)
      const opened = await openServed({ project, settings, findHandlers: openHandlers(project) })
      t.after(opened.close)
      const { sequence = 0 } = (await store.revisions.active()) ?? {}
      await reported(store, (processes) =>
        processes.some(({ url, process }) => url === opened.url && process.sequence >= sequence),
      )
      const revision = async () => (await send(opened.url, `GET ${connector}/WHO.v1/`)).headers['ig-revision']
      return { ...opened, folder, revision }
    },
  }
}

type Place = Awaited<ReturnType<typeof openPlace>>

async function reported(store: Place['store'], is: (processes: Awaited<ReturnType<typeof listProcesses>>) => boolean) {
  await poll(async () => is(await listProcesses(store.instances, Date.now() + store.clockOffset)))
}

/** Another handler, in a file that only this folder has. */
function deployLater(folder: string): void {
  const config = join(folder, 'gateway.config.js')
  const text = readFileSync(config, 'utf8')
  writeFileSync(
    config,
    text.replace("'WHO', handler: 'handlers/cluster.js#Who'", "'WHO', handler: 'handlers/later.js#Who'"),
  )
  writeFileSync(join(folder, 'handlers/later.js'), readFileSync(join(folder, 'handlers/cluster.js')))
}

forEachDatabase((database) => {
  suite(`Activations and the processes that serve them (${database.name})`, () => {
    test('13.17 ig apply and ig rollback wait until every running process serves the revision', async (t) => {
      const { start, apply, rollback } = await openPlace(t, database)
      const one = await start()
      const other = await start()
      deployLater(one.folder)
      deployLater(other.folder)
      const applied = await apply(one.folder)
      assert.equal(applied.code, 0, applied.stderr)
      assert.match(applied.stdout, /\nRevision 2 is active: 2 processes serve it\.\n$/)
      assert.deepEqual([await one.revision(), await other.revision()], ['2', '2'])
      assert.match((await rollback(one.folder, '1')).stdout, /\nRevision 1 is active: 2 processes serve it\.\n$/)
      assert.deepEqual([await one.revision(), await other.revision()], ['1', '1'])
      await other.close()
      assert.match((await rollback(one.folder, '2')).stdout, /\nRevision 2 is active: one process serves it\.\n$/)
    })

    test('13.18, 13.1 ig apply fails if a process refuses the revision, says why, and activates the previous one again', async (t) => {
      const { start, apply, rollback, list, store } = await openPlace(t, database)
      const one = await start()
      const lacking = await start()
      deployLater(one.folder)
      const failed = await apply(one.folder)
      assert.equal(failed.code, 1)
      const port = new URL(lacking.url).port
      assert.match(
        failed.stderr,
        new RegExp(
          `^(?:Waiting for .*\n)*ig: A process cannot serve this revision\\. Revision 2 is not served by every process\\. Revision 1 is active again\\.\n  \\S+:${port} \\(process ${process.pid}\\) refuses it: operations\\[0\\]\\.handler names a file that does not exist: handlers/later\\.js.*\nDeploy what is missing and try again, or activate it anyway with --no-wait\\.\n$`,
        ),
      )
      assert.equal((await store.revisions.active())?.revision, 1)
      assert.deepEqual([await one.revision(), await lacking.revision()], ['1', '1'])
      const [taken] = await store.revisions.activations()
      assert.deepEqual([taken?.revision, taken?.note], [1, 'revision 2 is not served everywhere'])
      const { stdout } = await list(one.folder)
      assert.match(stdout, /^2 +\S+ \S+Z +\S+ \S+Z +refused +[\s\S]*^1 +\S+ \S+Z +\S+ \S+Z +active +/m)

      const json = await rollback(one.folder, '2', '--json')
      const { revision, isActivated, changes, problems } = JSON.parse(json.stdout)
      assert.deepEqual([json.code, revision, isActivated, changes.length, problems.length], [1, 2, false, 1, 1])
      assert.equal((await store.revisions.active())?.revision, 1)

      const forced = await rollback(one.folder, '2', '--no-wait')
      assert.equal(forced.code, 0)
      assert.match(forced.stdout, /\nRevision 2 is active: processes were not waited for\.\n$/)
      assert.equal((await store.revisions.active())?.revision, 2)
      await reported(store, (processes) => processes.some(({ process }) => process.refusal !== undefined))
    })

    test('13.17 a process without a report for 15 seconds is not waited for; one that does not respond is a failure', async (t) => {
      const { store, apply, folder } = await openPlace(t, database)
      const report = (name: string, seen: number) => {
        const process = { pid: 1, sequence: 0, conditions: [] }
        const facts = { host: name, url: 'http://127.0.0.1:8080', version: '', processes: 1, revision: null, process }
        return store.instances.beat({ id: name, seen, started: 0, facts: JSON.stringify(facts) }, 0)
      }
      const now = Math.floor(Date.now() + store.clockOffset)
      await report('gone', now - processLostAfter)
      assert.match((await apply(folder)).stdout, /\nRevision 1 is active: no running process has reported\.\n$/)
      await report('hung', now + 60_000)
      deployLater(folder)
      const { code, stderr } = await apply(folder, '--wait', '1')
      assert.equal(code, 1)
      assert.match(
        stderr,
        / Revision 1 is active again, but not .*\n {2}hung:8080 \(process 1\) has not reported within 1 s\n/,
      )
      assert.equal((await store.revisions.active())?.revision, 1)
    })

    test('13.18 Ctrl-C while ig apply waits says that the revision may be active', async (t) => {
      const { store, url, folder } = await openPlace(t, database)
      const facts = { host: 'hung', url: 'http://127.0.0.1:8080', version: '', processes: 1, revision: null }
      const process = { pid: 1, sequence: 0, conditions: [] }
      const seen = Math.floor(Date.now() + store.clockOffset) + 600_000
      await store.instances.beat({ id: 'hung', seen, started: 0, facts: JSON.stringify({ ...facts, process }) }, 0)
      const applying = serve(['apply', folder, '--wait', '120'], { env: { IG_DATABASE: url } })
      await applying.until(/^Waiting for hung/m)
      const { code, stderr } = await applying.stop('SIGINT')
      assert.equal(code, 130)
      assert.match(stderr, /\nig: interrupted\. The revision may be active: see ig revision list\.\n$/)
      assert.equal((await store.revisions.active())?.revision, 1)
    })

    test('13.18 an activation made meanwhile is not undone, even of the same revision', async (t) => {
      const { store, apply, folder } = await openPlace(t, database)
      assert.equal((await apply(folder)).code, 0)
      deployLater(folder)
      assert.equal((await apply(folder)).code, 0)
      const mine = await store.revisions.active()
      assert.ok(mine)
      const time = Date.now()
      await store.revisions.activate(1, { expectedActive: 2, time })
      await store.revisions.activate(2, { expectedActive: 1, time })
      assert.equal(await revertActivation(mine, 1, store.revisions, time), undefined)
      const { overtakenBy } = await confirmActivation(mine, { store, limit: 1_000, now: Date.now })
      assert.equal(overtakenBy, 2)
      assert.equal((await store.revisions.active())?.revision, 2)
    })

    test('13.18 the previous revision is activated again even if a process refuses it too, and the command says so', async (t) => {
      const { start, apply, store } = await openPlace(t, database)
      const one = await start()
      const lacking = await start()
      deployLater(one.folder)
      assert.equal((await apply(one.folder, '--no-wait')).code, 0)
      await reported(store, (processes) => processes.some(({ process }) => process.refusal !== undefined))
      const config = join(one.folder, 'gateway.config.js')
      writeFileSync(config, readFileSync(config, 'utf8').replace("'WHO',", "'WHO', alias: 'WhoElse',"))
      const { code, stderr } = await apply(one.folder, '--force')
      assert.equal(code, 1)
      assert.match(stderr, / Revision 2 is active again, but not every process serves it\.\n/)
      assert.deepEqual([await one.revision(), await lacking.revision()], ['2', '1'])
    })

    test('13.18, 18.25 an activation in administration that another one overtakes meanwhile says so', async (t) => {
      const { ask, opened } = await openTestAdmin(t, { database })
      const { revisions, instances, clockOffset } = opened.gateway.store
      const time = Date.now()
      const first = await revisions.find(1)
      assert.ok(first)
      await revisions.add(first, { expectedActive: 1, time })
      const process = { pid: 1, sequence: 0, conditions: [] }
      const facts = { host: 'hung', url: 'http://127.0.0.1:8080', version: '', processes: 1, revision: null, process }
      const seen = Math.floor(time + clockOffset) + 60_000
      await instances.beat({ id: 'hung', seen, started: 0, facts: JSON.stringify(facts) }, 0)
      const before = await ask('GET /api/activation')
      const asked = ask('PUT /api/activation', { ifMatch: before.etag, body: { revision: 1 } })
      await poll(async () => ((await revisions.active())?.sequence ?? 0) > before.body.sequence)
      await revisions.activate(2, { expectedActive: 1, time })
      const { status, body } = await asked
      assert.deepEqual(
        [status, body.code, body.detail],
        [409, 'notServed', 'Revision 1 was activated, but revision 2 was activated after it and stays active.'],
      )
    })

    test('18.24, 18.25, 20.9 an activation in administration that a process refuses is reverted, with the reason; the draft stays', async (t) => {
      const { ask, opened } = await openTestAdmin(t, { database })
      const { settings, store } = opened.gateway
      const project = await openProject(referenceFolder)
      const lacking = await openServed({
        project,
        settings,
        findHandlers: async ({ services }) =>
          services.length === 1
            ? { handlers: project.handlers }
            : { problems: [{ path: 'operations[0].handler', message: 'names a file that does not exist: new.ts' }] },
      })
      t.after(lacking.close)
      await reported(store, (processes) => processes.length === 2)
      const place = `/api/drafts/${(await ask('POST /api/drafts', { body: { title: 'two' } })).body.id}`
      assert.equal((await ask(`POST ${place}/services`, { body: { name: 'TWO' } })).status, 201)
      const { etag } = await ask(`GET ${place}/changes`)
      const { status, body } = await ask(`POST ${place}/activate`, { ifMatch: etag, body: {} })
      assert.deepEqual(
        [status, body.code, body.detail],
        [409, 'notServed', 'Revision 2 is not served by every process. Revision 1 is active again.'],
      )
      const reason = 'operations[0].handler names a file that does not exist: new.ts'
      const [{ path, message }] = body.problems
      assert.equal(path.endsWith(`:${new URL(lacking.url).port} (process ${process.pid})`), true, path)
      assert.equal(message, `refuses it: ${reason}`)
      const active = await ask('GET /api/activation')
      assert.equal(active.body.revision, 1)
      assert.equal((await ask(`GET ${place}`)).body.isOutdated, false)
      const audit = (await ask('GET /api/audit')).body.items
      assert.deepEqual(
        audit.slice(0, 2).map(({ subject }: { subject: string }) => subject),
        ['revision 1', 'revision 2'],
      )

      const wait = false
      const forced = await ask('PUT /api/activation', { ifMatch: active.etag, body: { revision: 2, wait } })
      assert.equal(forced.status, 200)
      await reported(store, (processes) => processes.every(({ process }) => process.sequence === forced.body.sequence))
      const { items } = (await ask('GET /api/instances')).body
      const other = items.find(({ url }: { url: string }) => url === lacking.url)
      assert.deepEqual([other.state, other.revision, other.conditions.length], ['behind', 1, 1])
      assert.ok(other.conditions[0].detail.endsWith(reason))
      const again = await ask('PUT /api/activation', { ifMatch: forced.etag, body: { revision: 2 } })
      assert.deepEqual([again.status, again.etag, again.body], [200, forced.etag, forced.body], 'it is active already')
      assert.equal((await store.revisions.active())?.sequence, forced.body.sequence)
    })
  })
})
