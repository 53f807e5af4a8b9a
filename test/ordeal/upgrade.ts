/**
 * A rolling upgrade: instances of this version, and of a copy of it with one more migration, on one PostgreSQL,
 * replaced one by one under calls.
 */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { openStore } from '../../src/store/open-store.ts'
import { hashPassword } from '../../src/verification/password.ts'
import { ask, calls, type Reply, storing } from '../fixtures/upgrade/calls.ts'
import { findDatabase } from '../support/databases.ts'
import { startIg } from '../support/ig-process.ts'
import type { Ordeal, Tally } from './ordeal.ts'

const here = join(import.meta.dirname, '../..')
const fixture = join(here, 'test/fixtures/upgrade')
/** Milliseconds in which an instance serves what another version activated. */
const followsWithin = 10_000
const callers = 4
/** Calls between two steps of the upgrade. */
const pause = 60

export const upgrade: Ordeal = {
  name: 'upgrade',
  title: 'two instances of the version before are replaced by two of this one on one PostgreSQL, under GETs and POSTs',
  figure: 'no call failed, no reply differs, acknowledged = stored; instances of both follow an activation',
  trials: 5,
  open: async () => ({ trial: upgradeOnce, close: async () => {} }),
  judge({ calls: made = 0, failed = 0, differing = 0, acknowledged = 0, stored = 0, unfollowed = 0 }, trials) {
    const faults: string[] = []
    if (made < trials * 5 * pause) faults.push(`only ${made} calls were made`)
    if (failed > 0) faults.push(`${failed} calls failed`)
    if (differing > 0) faults.push(`${differing} replies differ from those of the version before`)
    if (acknowledged === 0 || acknowledged !== stored)
      faults.push(`${acknowledged} rows acknowledged, ${stored} stored`)
    if (unfollowed > 0) faults.push(`${unfollowed} activations were not served by an instance`)
    return faults
  },
}

async function upgradeOnce(): Promise<Tally> {
  await using opened = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'ig-upgrade-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  const database = await findDatabase('PostgreSQL').open()
  opened.defer(database.remove)
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  opened.defer(() => client.end())
  const versions = {
    old: prepare(join(folder, 'old'), here),
    new: prepare(join(folder, 'new'), copyWithMigration(folder)),
  }
  const env = {
    ...process.env,
    IG_DATABASE: database.url,
    IG_ADMIN_PORT: 'off',
    IG_MONITOR: 'off',
    IG_LIMITS_OVERLOADDELAY: '24h', // on a busy machine it would refuse calls
  }
  await addOperators(database.url)

  const storm = startStorm()
  opened.defer(async () => void (await storm.end()))
  const start = async (version: keyof typeof versions) => {
    const instance = await startInstance(versions[version], env)
    opened.defer(async () => void (await instance.stop()))
    storm.live.add(instance.url)
    await storm.more(pause)
    return instance
  }
  const stop = async ({ url, stop: end }: Awaited<ReturnType<typeof start>>) => {
    await storm.leave(url)
    await end()
    await storm.more(pause)
  }
  let unfollowed = 0
  /** By this version: the one before cannot open a store that has a migration of this one. Its instances follow. */
  const activate = async (verb: readonly string[], revision: string, ...instances: readonly { url: string }[]) => {
    await run(versions.new, [...verb, '--wait', '120'], env)
    const end = performance.now() + followsWithin
    for (const { url } of instances)
      while (!(await ask(url, 'GET /healthz')).headers.includes(`ig-revision: ${revision}`))
        if (performance.now() > end) return void (unfollowed += 1)
  }

  const [first, second] = [await start('old'), await start('old')]
  await storm.learn(first.url)
  const before = await countRows(client)
  storm.begin()
  const third = await start('new')
  describeEcho(versions.new.project)
  await activate(['apply', versions.new.project], '2', second, third)
  await activate(['rollback', '1', '--project', versions.new.project], '1', second, third)
  await stop(first)
  await start('new')
  await stop(second)
  const { acknowledged, ...counted } = await storm.end()
  const stored = (await countRows(client)) - before
  return { ...counted, acknowledged, stored, unfollowed }
}

interface Version {
  readonly code: string
  readonly project: string
}

async function addOperators(url: string): Promise<void> {
  const store = await openStore(url)
  for (const id of ['ALICE', 'BOB', 'GUEST']) {
    const passwordHash = await hashPassword(`${id.toLowerCase()}-password`)
    await store.operators.add({ id, passwordHash, permissionLists: ['USERS'], isLocked: id === 'BOB' })
  }
  await store.close()
}

/** A migration of its own, which the version before does not know. */
function copyWithMigration(folder: string): string {
  const code = join(folder, 'code')
  mkdirSync(code)
  for (const each of ['bin', 'src', 'package.json']) cpSync(join(here, each), join(code, each), { recursive: true })
  symlinkSync(join(here, 'node_modules'), join(code, 'node_modules'))
  const file = join(code, 'src/store/gateway-migrations.ts')
  const later = `{ name: '0002-later', up: (database) => database.schema.alterTable('ig_operator').addColumn('later', 'text').execute() },`
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace(/(export const mainMigrations[^=]*= \[.*?)\n\]/s, `$1\n  ${later}\n]`),
  )
  return code
}

/** Each version has a project folder, whose handlers import nothing. */
function prepare(project: string, code: string): Version {
  cpSync(join(fixture, 'project'), project, { recursive: true })
  mkdirSync(join(project, 'node_modules'))
  symlinkSync(code, join(project, 'node_modules/integration-gateway'))
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  return { code, project }
}

function describeEcho(project: string): void {
  const file = join(project, 'gateway.config.ts')
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace("name: 'ECHO',", "name: 'ECHO', description: 'of this version',"),
  )
}

const command = ({ code }: Version) => ['--conditions=integration-gateway-source', join(code, 'bin/ig.js')]

async function run(version: Version, args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  await promisify(execFile)(process.execPath, [...command(version), ...args], { env, cwd: version.project })
}

async function startInstance(version: Version, env: NodeJS.ProcessEnv) {
  const args = ['start', version.project, '--port', '0', '--workers', '2']
  const serving = startIg(args, { command: [process.execPath, ...command(version)], cwd: version.project, env })
  const [, url = ''] = await serving.until(/serving \S+ at (http:\S+)/)
  return { url, stop: () => serving.stop() }
}

async function countRows(client: pg.Client): Promise<number> {
  return Number((await client.query('select count(*) from public."STORED_VALUE"')).rows[0].count)
}

/** Calls of the fixture, and rows more, to all instances that take calls. */
function startStorm() {
  const live = new Set<string>()
  const busy = new Map<string, number>()
  const counted = { calls: 0, failed: 0, differing: 0, acknowledged: 0 }
  const steady = calls.filter(([line]) => !/VALUE/.test(line))
  const replies: Reply[] = []
  const made = new EventTarget()
  let isOver = false
  let next = 0
  const callOnce = async (url: string, at: number) => {
    counted.calls += 1
    if (at % 3 === 0) {
      const { status } = await ask(url, ...storing, `row ${at}`)
      if (status === 200) counted.acknowledged += 1
      else counted.failed += 1
      return
    }
    const reply = replies[at % steady.length]
    const { status, body } = await ask(url, ...(steady[at % steady.length] ?? calls[0]))
    if (status !== reply?.status || body !== reply.body) counted.differing += 1
  }
  const caller = async () => {
    while (!isOver) {
      const urls = [...live]
      const at = next
      next += 1
      const url = urls[at % urls.length] ?? ''
      busy.set(url, (busy.get(url) ?? 0) + 1)
      await callOnce(url, at).catch(() => void (counted.failed += 1))
      busy.set(url, (busy.get(url) ?? 0) - 1)
      made.dispatchEvent(new Event('call'))
    }
  }
  let running: Promise<unknown> | undefined
  const more = async (count: number) => {
    const end = counted.calls + count
    while (running && counted.calls < end) await once(made, 'call')
  }
  return {
    live,
    more,
    async learn(url: string) {
      for (const call of steady) replies.push(await ask(url, ...call))
    },
    begin: () => void (running = Promise.all(Array.from({ length: callers }, caller))),
    /** As a load balancer takes one out. */
    async leave(url: string) {
      live.delete(url)
      while ((busy.get(url) ?? 0) > 0) await once(made, 'call')
    },
    async end(): Promise<typeof counted> {
      isOver = true
      await running
      return counted
    },
  }
}
