/**
 * Two operations of examples/hr as Fastify and Kysely would have them: to compare the lines of a handler with those of a
 * route, and the bytes that clients receive (test/project/hr-twin.test.ts). `node bench/hr-twin/twin.ts` prints the lines.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Fastify, { type FastifyError } from 'fastify'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Tables } from '../../examples/hr/tables.ts'
import { addEmployee } from './employee.ts'
import { addHire } from './hire.ts'
import { authenticate, base, type Operator } from './shared.ts'

/** @param databaseUrl of PostgreSQL, with the tables of examples/hr on its search path */
export function openTwin(databaseUrl: string, operators: ReadonlyMap<string, Operator>) {
  const types = new pg.TypeOverrides()
  types.setTypeParser(pg.types.builtins.DATE, (text) => text) // the driver would make it a Date of the local midnight
  const pool = new pg.Pool({ connectionString: databaseUrl, types, max: 4 })
  pool.on('connect', (client) => client.on('error', () => {})) // its queries report what ends a connection
  pool.on('error', () => {}) // one that is idle has none
  const database = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  const app = Fastify()
  app.decorateRequest('operator', '')
  app.decorateRequest('operations', null)
  app.addHook('onRequest', authenticate(operators))
  app.addHook('onSend', async (_request, reply) => {
    reply.header('content-type', 'application/json')
  })
  app.setErrorHandler((error: FastifyError, _request, reply) =>
    reply.code(error.statusCode ?? 500).send({ error: error.message }),
  )
  app.register(
    async (routes) => {
      addEmployee(routes, database)
      addHire(routes, database)
    },
    { prefix: base },
  )
  app.addHook('onClose', () => database.destroy())
  return app
}

const root = join(import.meta.dirname, '../..')
const modules = [
  ['GET EMPLOYEE.v1', 'examples/hr/handlers/employee.ts', 'bench/hr-twin/employee.ts'],
  ['POST EMPLOYEE.v1', 'examples/hr/handlers/hire.ts', 'bench/hr-twin/hire.ts'],
] as const

/** Lines of code: comments and empty lines do not count. */
export function countLines() {
  const count = (file: string) => {
    const lines = readFileSync(join(root, file), 'utf8').split('\n')
    return lines.filter((line) => !/^\s*(?:$|\/\/|\/?\*)/.test(line)).length
  }
  return modules.map(([operation, handler, route]) => ({ operation, handler: count(handler), route: count(route) }))
}

if (import.meta.main) console.table(countLines())
