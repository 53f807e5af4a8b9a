/** The gateway's own tables, as Kysely knows them. */

export interface Tables extends MonitorTables {
  ig_migration: MigrationTable
  ig_project_migration: MigrationTable
  /** A counter each: its row is locked until the change commits, so that epochs become visible in their order. */
  ig_epoch: { name: EpochName; epoch: number }
  /** One row: which store this is, wherever it runs. */
  ig_store: { id: string }
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
    /** Null for a revision of an earlier version of the gateway. */
    author: string | null
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
    /** As it was sent, for whoever looks at the cache; null for a row of an earlier version. */
    url: string | null
    /** Whose it is, where the operation's cache key policy says so. */
    operator: string | null
  }
  /** An instance of the gateway, and when it was last heard of: epoch milliseconds of the database. */
  ig_instance: { id: string; seen: number; started: number; facts: string }
  /** What an instance counted in a few seconds. */
  ig_instance_step: { time: number; instance: string; counts: string }
  ig_administrator: {
    name: string
    role: string
    password_hash: string
    is_locked: 0 | 1
    created: number
    /** The epoch of its last change. */
    changed: number
  }
  /** By the digest of what its cookie holds. */
  ig_admin_session: { digest: string; administrator: string; created: number; used: number; expires: number }
  ig_admin_token: {
    id: string
    digest: string
    name: string
    role: string
    administrator: string
    created: number
    expires: number
    revoked: number | null
  }
  ig_admin_invitation: { digest: string; expires: number }
  ig_draft: {
    id: string
    title: string
    base: number
    version: number
    created: number
    created_by: string
    changed: number
    changed_by: string
  }
  /** An item of a draft that differs from its base: `value` is JSON, null where the item is removed. */
  ig_draft_edit: { draft: string; list: string; item: string; value: string | null; version: number }
  /** Triggers let no row be changed or removed. */
  ig_audit: {
    sequence: number
    time: number
    actor: string
    via: string
    address: string
    action: string
    subject: string
    before: string | null
    after: string | null
  }
  /** The hash of an entry and of all before it. Triggers let no row be changed or removed. */
  ig_audit_link: { sequence: number; hash: string }
}

/** The monitor's, on SQLite in a file of their own (specification 21). */
export interface MonitorTables {
  /** One row: the last number given out, and the bytes of all rows ever written; locked by who writes until it commits. */
  ig_monitor_state: { sequence: number; written: number }
  /** What few values of many transactions have in common, each combination once. The empty string stands for none. */
  ig_monitor_class: {
    id: number
    method: string
    status: number
    refusal: string
    node: string
    /** -1: it was refused before that was known. */
    is_cached: -1 | 0 | 1
    has_failed: 0 | 1
    duration_step: number
  }
  ig_monitor: {
    /** Becomes visible in its order. */
    sequence: number
    time: number
    class: number
    operation: string | null
    operator: string | null
    transaction_id: string
    duration: number
    url: string
    reason: string | null
    remote_address: string
    revision: number | null
    instance: string
    /** `written` of the state, with this row. */
    written: number
    /** JSON. */
    messages: string | null
  }
  ig_monitor_loss: {
    minute: number
    instance: string
    reason: string
    has_failed: 0 | 1
    transactions: number
  }
}

/** `auditLinks` and `authors` never grow: they say that a repeated migration has made its part. */
export type EpochName =
  | 'operators'
  | 'activations'
  | 'cacheGenerations'
  | 'administrators'
  | 'audit'
  | 'auditLinks'
  | 'authors'

export interface MigrationTable {
  name: string
  applied: string
}
