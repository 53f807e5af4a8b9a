/** The gateway's own tables, for Kysely. */
export interface Tables {
  ig_migration: MigrationTable
  ig_project_migration: MigrationTable
  /** One counter in each row, locked until the change commits, so that epochs become visible in order. */
  ig_epoch: { name: string; epoch: number }
  /** One row: the identity of the store, wherever it runs. */
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
  /** A certificate in the notation of `parseCertificateName`. */
  ig_operator_certificate: { operator_id: string; certificate: string }
  ig_operator_permission_list: { operator_id: string; permission_list: string }
  /** Of each operator whose session tokens were ever revoked; the time is epoch milliseconds. */
  ig_session_generation: { operator_id: string; generation: number; time: number; changed: number }
  ig_revision: {
    number: number
    /** Epoch milliseconds. */
    created: number
    note: string
    digest: string
    author: string | null
  }
  /** Its document in pieces, so that no read takes long. */
  ig_revision_part: { revision: number; part: number; text: string }
  ig_activation: { sequence: number; revision: number; time: number; note: string }
  /** An instance of the gateway, and its last heartbeat: epoch milliseconds of the database. */
  ig_instance: { id: string; seen: number; started: number; facts: string }
  ig_administrator: {
    name: string
    role: string
    password_hash: string
    is_locked: 0 | 1
    created: number
    /** The epoch of its last change. */
    changed: number
  }
  /** Of an administrator who signs in with an identity provider. `claimed` is JSON: the values that gave the role. */
  ig_admin_identity: { administrator: string; issuer: string; subject: string; claimed: string }
  /** A second factor. `secret` of a TOTP is sealed, that of a passkey is public. */
  ig_admin_factor: {
    id: string
    administrator: string
    kind: string
    name: string
    secret: string
    counter: number
    created: number
    used: number | null
  }
  ig_admin_recovery_code: { digest: string; administrator: string }
  /** What a person was asked to prove. */
  ig_admin_challenge: { digest: string; administrator: string; content: string; expires: number }
  /** A session; `digest` is that of the cookie's value. */
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
    used: number | null
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
  /** An item of a draft that differs from its base: `value` is JSON, null if the item is removed. */
  ig_draft_edit: { draft: string; list: string; item: string; value: string | null; version: number }
  /** Triggers forbid changing or removing rows. */
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
  /** The hash of an entry and of all before it. Triggers forbid changing or removing rows. */
  ig_audit_link: { sequence: number; hash: string }
}

export interface MigrationTable {
  name: string
  applied: string
}
