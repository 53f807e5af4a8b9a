/**
 * A connection that notes what the server says of its role: whether it is a standby, and whether it acknowledged a commit
 * that may be on this server alone (specification 17.18, 17.19).
 */
import pg from 'pg'
import { StoreOutage } from '../faults.ts'

export class PrimaryClient extends pg.Client {
  isStandby = false
  /** The server gave up waiting for its synchronous standby, and acknowledged the commit. */
  isReplicationUnsure = false

  constructor(config?: string | pg.ClientConfig) {
    super(config)
    const { connection } = this as unknown as { readonly connection: NodeJS.EventEmitter }
    connection.on('parameterStatus', ({ parameterName, parameterValue }: ParameterStatus) => {
      if (parameterName === 'in_hot_standby') this.isStandby = parameterValue === 'on'
    })
    this.on('notice', ({ routine }) => {
      if (routine === 'SyncRepWaitForLSN') this.isReplicationUnsure = true // the text depends on the server's language
    })
  }
}

interface ParameterStatus {
  readonly parameterName: string
  readonly parameterValue: string
}

/** @throws StoreOutage */
export function requirePrimary(client: pg.ClientBase): void {
  if (client instanceof PrimaryClient && client.isStandby)
    throw new StoreOutage('The database server is a standby: the primary is elsewhere, or not there yet')
}

/** The commit is not acknowledged: its rows are lost if the standby takes over. The connection must not be reused. */
export function isReplicationUnsure(client: pg.ClientBase): boolean {
  return client instanceof PrimaryClient && client.isReplicationUnsure
}
