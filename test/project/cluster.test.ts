/** The files of `deploy/cluster/` are what etcd, Patroni and HAProxy take, and what the ordeal `failover` starts. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { configurations, find } from '../support/database-cluster.ts'
import { skipWithout } from '../support/proxies.ts'

const folder = join(import.meta.dirname, '../../deploy/cluster')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')
const patroni = parse(read('patroni.yml'))

test('Patroni replaces a lost primary within the documented times, and acknowledges nothing that one server alone has', () => {
  const { ttl, loop_wait, retry_timeout, primary_start_timeout } = patroni.bootstrap.dcs
  assert.deepEqual(
    { ttl, loop_wait, retry_timeout, primary_start_timeout },
    {
      ttl: 20,
      loop_wait: 2,
      retry_timeout: 3,
      primary_start_timeout: 0,
    },
  )
  assert.ok(loop_wait + 2 * retry_timeout <= ttl, 'a primary demotes itself before its lock expires')
  const { synchronous_mode, synchronous_mode_strict } = patroni.bootstrap.dcs
  assert.deepEqual([synchronous_mode, synchronous_mode_strict], [true, true])
})

test('etcd elects a leader before Patroni gives up', () => {
  const [, election] = /^ETCD_ELECTION_TIMEOUT=(\d+)$/m.exec(read('etcd.env')) ?? []
  assert.ok(Number(election) * 2 < patroni.bootstrap.dcs.retry_timeout * 1000)
})

test('no file of the cluster contains a password', () => {
  for (const name of ['patroni.yml', 'etcd.env', 'haproxy-database.cfg']) assert.doesNotMatch(read(name), /password:/i)
})

test('HAProxy takes the way to the primary in addition to that to the gateways', skipWithout('haproxy'), () => {
  const text = configurations.haproxy(5432, [
    { server: 1, rest: 2, serverProxy: 3, restProxy: 4 },
    { server: 5, rest: 6, serverProxy: 7, restProxy: 8 },
  ])
  for (const configuration of [text, read('haproxy-database.cfg')]) assert.equal(checkHaproxy(configuration), '')
  assert.match(checkHaproxy(text.replace('on-marked-down', 'on-marked-dwn')), /on-marked-dwn/)
})

const withoutPatroni = find('patroni')
  ? {}
  : {
      skip: 'patroni is not installed, so its configuration was not tried: apt-get install patroni etcd-server postgresql',
    }

test('Patroni finds nothing wrong in its configuration', withoutPatroni, () => {
  const ports = { server: 29_901, rest: 29_902, serverProxy: 29_903, restProxy: 29_904 }
  const text = configurations.patroni('db1', '/tmp', ports, [29_905, 29_906, 29_907]).replaceAll(
    'connect_address: 127.0.0.1', // which no other machine could reach
    'connect_address: 10.0.0.21',
  )
  assert.equal(checkPatroni(text), '')
  assert.match(checkPatroni(text.replace('data_dir:', 'data_dri:')), /data_dir/)
})

/** What it has to say, without what a program says that does not find its servers. */
function checkPatroni(text: string): string {
  const output = run('patroni.yml', text, (file) => [find('patroni') ?? '', ['--validate-config', file]])
  return output
    .split('\n')
    .filter((line) => !/bootstrap\.pg_hba|not reachable|^$/.test(line))
    .join('\n')
}

function checkHaproxy(text: string): string {
  const whole = `global\n    log stdout format raw local0\n${text}`
  return run('database.cfg', whole, (file) => ['haproxy', ['-c', '-f', file]])
    .replace('Configuration file is valid', '')
    .trim()
}

function run(name: string, text: string, command: (file: string) => [string, string[]]): string {
  const place = mkdtempSync(join(tmpdir(), 'ig-cluster-'))
  const file = join(place, name)
  writeFileSync(file, text)
  const [program, args] = command(file)
  const { stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' })
  rmSync(place, { recursive: true })
  if (error) throw error
  return stdout + stderr
}
