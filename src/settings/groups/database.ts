/** The database and its copies. */
import { SecretKey } from '../../base/secret-key.ts'
import { database as databaseUrl, postgresUrl, whole } from '../kinds.ts'
import type { Rows } from '../row.ts'

/** In characters. */
const minLength = 32

/** Never from the project, which is copied and shared (specification 8.9, 27.31). */
const secretKeyKind = {
  values: `${minLength} characters or more, in the environment or a file`,
  parse(text: string): SecretKey {
    if (text.length >= minLength) return new SecretKey(text)
    throw new Error(`must have ${minLength} characters or more; openssl rand -base64 32 makes one`)
  },
}

export const database = {
  /** An absolute path, or `postgres://…`. */
  database: {
    key: 'ig.database',
    kind: databaseUrl,
    default: 'data/gateway.sqlite',
    help: 'database for operators, revisions, cache and staged rows',
    see: '8.4',
    isSecret: true,
  },
  /** Undefined: depends on the number of workers. */
  databaseConnections: {
    key: 'ig.database.connections',
    kind: whole('connections', 2, 10_000),
    help: 'connections to PostgreSQL of all workers of ig start together; by default 14 each, at most about 70 in total, and one for the monitor; each stream that reads the database adds one',
  },
  databaseHandlers: {
    key: 'ig.database.handlers',
    kind: postgresUrl,
    help: 'the same PostgreSQL database with a separate role for handlers, without rights on the gateway tables',
    see: '5.16',
    isSecret: true,
  },
  secretKey: {
    key: 'ig.secretKey',
    kind: secretKeyKind,
    help: 'encrypts secrets in the database and the last-good copy',
    see: '8.9',
    isSecret: true,
    isNeverInProject: true,
  },
  secretKeyPrevious: {
    key: 'ig.secretKey.previous',
    kind: secretKeyKind,
    help: 'the previous key, which decrypts until ig secret-key rotate has replaced it',
    see: '27.31',
    isSecret: true,
    isNeverInProject: true,
  },
} as const satisfies Rows
