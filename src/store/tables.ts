/** The gateway's own tables, as Kysely knows them. */

export interface Tables {
  ig_migration: MigrationTable
  ig_project_migration: MigrationTable
  /** A counter each: its row is locked until the change commits, so that epochs become visible in their order. */
  ig_epoch: { name: EpochName; epoch: number }
  ig_operator: {
    id: string
    description: string
    password_hash: string | null
    is_locked: 0 | 1
    /** The epoch of its last change. */
    changed: number
  }
  ig_operator_email: { operator_id: string; type: string; address: string; is_primary: 0 | 1 }
  ig_operator_permission_list: { operator_id: string; permission_list: string }
  ig_revision: {
    number: number
    /** Epoch milliseconds. */
    created: number
    note: string
    digest: string
  }
  /** Its document, cut into pieces, so that no read is a long one. */
  ig_revision_part: { revision: number; part: number; text: string }
  ig_activation: { sequence: number; revision: number; time: number; note: string }
  ig_rest_cache_generation: { operation_id: string; generation: number; changed: number }
  /** Who runs the handler for all processes, until then: epoch milliseconds of the database. */
  ig_rest_cache_claim: { key: string; owner: string; until: number }
  ig_rest_cache: {
    key: string
    operation_id: string
    generation: number
    /** Epoch milliseconds of the database. */
    expires: number
    /** 0: deleted, and the mark that there was an entry. */
    status: number
    /** JSON: name, value… */
    headers: string
    /** Grows with every entry stored: the order of age. */
    stored: number
    size: number
    body: Buffer
  }
}

export type EpochName = 'operators' | 'activations' | 'cacheGenerations'

export interface MigrationTable {
  name: string
  applied: string
}
