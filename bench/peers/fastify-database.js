/** A Fastify server that verifies passwords by the rows of the gateway's SQLite database. Its start is timed by `large.ts`. */
import { DatabaseSync } from 'node:sqlite'
import basicAuth from '@fastify/basic-auth'
import { verify } from '@node-rs/argon2'
import fastify from 'fastify'

const { port, database, path } = JSON.parse(process.argv[2] ?? '')
const rows = new DatabaseSync(database, { readOnly: true })
const operators = new Map(
  rows
    .prepare('select id, password_hash as hash from ig_operator')
    .all()
    .map(({ id, hash }) => [id, hash]),
)
const app = fastify()
await app.register(basicAuth, {
  async validate(name, password) {
    const hash = operators.get(name)
    if (!hash || !(await verify(hash, password))) throw new Error('wrong credentials')
  },
})
app.get(path, { onRequest: app.basicAuth, handler: async () => ({ message: 'hello' }) })
await app.listen({ port, host: '127.0.0.1' })
