/** Handlers of examples/hr beside routes of Fastify and Kysely: the same bytes from no more lines (bench/hr-twin). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { countLines, openTwin } from '../../bench/hr-twin/twin.ts'
import { up } from '../../examples/hr/migrations/0001-employees.ts'
import type { HandlerDatabase } from '../../src/sdk.ts'
import { openTestGateway } from '../../src/testing/open-test-gateway.ts'
import { findDatabase } from '../support/databases.ts'
import { hashOnce } from '../support/hash-once.ts'

const ada = { emplid: '100001', name: 'Ada', department: 'MATH', hired: '2026-01-31', salary: '5200.50' }
const project = new URL('../../examples/hr/', import.meta.url)
const operators = [{ id: 'CLERK', permissionLists: ['HR_ALL'] }]

test('5.3, 5.23 handlers return the same bytes as routes of Fastify and Kysely, in no more lines (PostgreSQL)', async () => {
  for (const { operation, handler, route } of countLines())
    assert.ok(handler <= route, `${operation}: ${handler} lines, ${route} with Fastify`)

  const { url, remove } = await findDatabase('PostgreSQL').open()
  await using opened = new AsyncDisposableStack()
  opened.defer(remove)
  const pool = new pg.Pool({ connectionString: url })
  pool.on('error', () => {}) // the end of the test may end its idle connection
  const database = new Kysely({ dialect: new PostgresDialect({ pool }) })
  await up(database as unknown as HandlerDatabase)
  await database.destroy()
  const passwordHash = await hashOnce('clerk-password')
  const operations = ['EMPLOYEE_GET.v1', 'EMPLOYEE_POST.v1']
  const twin = openTwin(url, new Map([['CLERK', { passwordHash, operations }]]))
  opened.defer(() => twin.close())
  const gateway = await openTestGateway({ project, database: url, operators, listen: true })
  opened.defer(() => gateway.close())

  const base = '/PSIGW/RESTListeningConnector/LOCAL_NODE'
  const ask = async (origin: string, authorization: string, [method, path, json]: Ask) => {
    const headers = { authorization, ...(json === undefined ? {} : { 'content-type': 'application/json' }) }
    const answer = await fetch(`${origin}${base}/${path}`, {
      method,
      headers,
      body: json === undefined ? null : JSON.stringify(json),
    })
    const named = ['content-type', 'location', 'content-length'].map((name) => answer.headers.get(name))
    return [answer.status, ...named, await answer.text()]
  }
  const asks: readonly Ask[] = [
    ['POST', 'EMPLOYEE.v1/', ada],
    ['POST', 'EMPLOYEE.v1/', ada],
    ['GET', 'EMPLOYEE.v1/100001'],
    ['GET', 'EMPLOYEE.v1/100001?fields=NAME&fields=DEPTID'],
    ['GET', 'EMPLOYEE.v1/100002'],
  ]
  const origin = await twin.listen({ port: 0, host: '127.0.0.1' })
  const ours = await gateway.basicCredentials('CLERK')
  const theirs = `Basic ${Buffer.from('CLERK:clerk-password').toString('base64')}`
  const statuses: unknown[] = []
  for (const one of asks) {
    const answer = await ask(gateway.url ?? '', ours, one)
    assert.deepEqual(await ask(origin, theirs, one), answer)
    statuses.push(answer[0])
  }
  assert.deepEqual(statuses, [201, 409, 200, 200, 404])
})

type Ask = readonly [method: string, path: string, json?: unknown]
