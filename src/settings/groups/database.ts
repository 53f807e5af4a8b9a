/** The database, and what is kept beside it. */
import { age, database as databaseUrl, file, postgresUrl, whole } from '../kinds.ts'
import type { Rows } from '../row.ts'
import { secretKeyKind } from '../secret-key.ts'

export const database = {
  /** An absolute path, or `postgres://…`. */
  database: {
    key: 'ig.database',
    kind: databaseUrl,
    default: 'data/gateway.sqlite',
    help: 'where operators, cache and staged rows are kept',
    see: '8.4',
  },
  /** Undefined: the number of workers decides. */
  databaseConnections: {
    key: 'ig.database.connections',
    kind: whole('connections', 2, 10_000),
    help: 'to PostgreSQL, of all workers of ig start; by default 14 for each, about 70 together, and one for the monitor',
  },
  databaseHandlers: {
    key: 'ig.database.handlers',
    kind: postgresUrl,
    help: 'the same PostgreSQL database by a role of its own for handlers, without rights on the tables of the gateway',
    see: '5.16',
  },
  secretKey: {
    key: 'ig.secretKey',
    kind: secretKeyKind,
    help: 'encrypts what is kept outside the database',
    see: '8.9',
  },
  lastGood: {
    file: {
      key: 'ig.lastGood.file',
      kind: file,
      default: 'data/last-good',
      help: 'copy of configuration, operators and keys, by which ig start starts while PostgreSQL is away; needs ig.secretKey',
      see: '17.15',
    },
    /** Milliseconds. */
    maxAge: { key: 'ig.lastGood.maxAge', kind: age, default: '24h', help: 'an older copy is refused', see: '17.16' },
  },
} as const satisfies Rows
