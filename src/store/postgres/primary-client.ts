/**
 * What the server says of its role on a connection: whether it is a standby, and whether it acknowledged a commit that
 * may be on this server alone (specification 17.18, 17.19).
 */
import type pg from 'pg'
import { StoreOutage } from '../faults.ts'

/** Milliseconds. */
const patience = 10_000

/** For each new connection of a pool. */
export function requirePrimary(client: pg.ClientBase, done: (error?: Error) => void): void {
  const query = { text: 'select pg_is_in_recovery() as standby', query_timeout: patience } as pg.QueryConfig
  client
    .query<{ standby: boolean }>(query)
    .then(({ rows: [row] }) => done(row?.standby ? new StoreOutage(standby) : undefined), done)
}

const standby = 'The database server is a standby: the primary is elsewhere, or not there yet'

/** Connections whose server gave up waiting for its synchronous standby, and acknowledged the commit. */
const unsure = new WeakSet<pg.ClientBase>()

export function watchReplication(client: pg.ClientBase): void {
  client.on('notice', ({ routine }) => {
    if (routine === 'SyncRepWaitForLSN') unsure.add(client) // the text depends on the server's language
  })
}

/** The commit is not acknowledged: its rows are lost if the standby takes over. The connection must not be reused. */
export function isReplicationUnsure(client: pg.ClientBase): boolean {
  return unsure.has(client)
}
