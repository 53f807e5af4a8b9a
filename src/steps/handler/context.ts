/** The context of a handler (specification 5.4). Created lazily: most handlers need neither transaction nor signal. */

import type { Catalog } from '../../configuration/catalog.ts'
import type { SpooledRequest } from '../../model/content/request-message.ts'
import type { HandlerContext, HandlerOperator, ServerDescription } from '../../model/handler.ts'
import type { Broker } from '../../model/handler-broker.ts'
import type { HandlerDatabase } from '../../model/handler-database.ts'
import type { SessionToken } from '../../model/handler-session-token.ts'
import type { Observe } from '../../model/observation.ts'
import type { Operation } from '../../model/operation.ts'
import type { Operator } from '../../model/operator.ts'
import type { HandlerLog } from '../../model/process-context.ts'
import { RowMemory } from '../../model/row-memory.ts'
import { writeTraceHeaders } from '../../model/trace.ts'
import type { Transaction } from '../../model/transaction.ts'
import { verificationOf } from '../../model/verification.ts'
import type { Settings } from '../../settings.ts'
import type { Snapshot } from '../../store/snapshots.ts'
import type { Store } from '../../store/store.ts'
import type { FinalStatement, HandlerTransaction } from '../../store/transaction.ts'
import { type Issuers, requireIssuer } from '../../verification/verifier.ts'
import type { WorkAfterCommit } from './after-commit.ts'
import { type CacheDeletion, openBroker } from './broker.ts'
import { describeHeldLocks } from './fetch/held-locks.ts'
import { openLog } from './log.ts'
import type { SharedParts } from './shared-parts.ts'

/** What the run of a handler uses of the gateway. */
export interface HandlerDependencies {
  readonly settings: Settings
  readonly store: Pick<Store, 'openHandlerTransaction' | 'openSnapshot'>
  readonly restCache: { deleteOperation(operationId: string, operator?: string): Promise<void> }
  readonly verifiers: Issuers
  readonly server: ServerDescription
  readonly observe: Observe
  readonly shared: SharedParts
  readonly limits?: { readonly load: { requireTime(): void } }
  readonly now: () => number
}

/** What a substitute for a handler uses. */
export interface SubstituteParts {
  readonly operation: Operation
  readonly transaction: Transaction
  readonly operator: Operator
  readonly catalog: Catalog
  readonly settings: Settings
  readonly shared: SharedParts
  readonly handlerDependencies: HandlerDependencies
}

/** Its accounts end with the call. */
type Memory = Pick<SpooledRequest, 'openAccount'>

export class CallContext implements HandlerContext {
  readonly transactionId: string
  readonly server: ServerDescription
  readonly now: () => number
  /** Whether the handler read the caller's identity. */
  readIdentity = false
  /** Whether the handler called another service, which a rollback does not undo. */
  hasFetched = false
  readonly #operation: Operation
  readonly #operator: Operator
  readonly #transaction: Transaction
  /** The catalog of the whole call, also after an activation. */
  readonly #catalog: Catalog
  readonly #parts: HandlerDependencies
  readonly #request: Memory | undefined
  /** A handler that still runs after its call must not open a transaction that would never end. */
  #isOver = false
  #opened: HandlerTransaction | undefined
  /** Its transaction is committed or rolled back, and only a stream is left. */
  #isConcluded = false
  #snapshot: Snapshot | undefined
  #deletedCaches: Map<string, CacheDeletion> | undefined
  #broker: Broker | undefined
  #log: HandlerLog | undefined
  #workAfterCommit: WorkAfterCommit[] | undefined
  #controller: AbortController | undefined
  #abortReason: Error | undefined

  constructor(
    operation: Operation,
    operator: Operator,
    transaction: Transaction,
    catalog: Catalog,
    parts: HandlerDependencies,
    /** None: no database. */
    request?: Memory,
  ) {
    this.transactionId = transaction.id
    this.server = parts.server
    this.now = parts.now
    this.#operation = operation
    this.#operator = operator
    this.#transaction = transaction
    this.#catalog = catalog
    this.#parts = parts
    this.#request = request
  }

  get operator(): HandlerOperator {
    this.readIdentity = true
    const { id, description, permissionLists } = this.#operator
    return { id, description, permissionLists }
  }

  get broker(): Broker {
    this.#broker ??= openBroker(this.#operation, this.#transaction, this.#catalog, this.#parts.settings, (deletion) => {
      this.#deletedCaches ??= new Map()
      this.#deletedCaches.set(JSON.stringify(deletion), deletion)
    })
    return this.#broker
  }

  get log(): HandlerLog {
    this.#log ??= openLog(this.#transaction, this.#parts.observe)
    return this.#log
  }

  get resource(): HandlerContext['resource'] {
    return this.#parts.shared.resource
  }

  get setting(): HandlerContext['setting'] {
    return this.#parts.shared.setting
  }

  get metrics(): HandlerContext['metrics'] {
    return this.#parts.shared.metrics
  }

  get fetch(): HandlerContext['fetch'] {
    return (url, options) => {
      this.hasFetched = true
      const { shared } = this.#parts
      if (this.#opened?.holdsLocks && !this.#isOver && shared.isFirst(this.#operation, 'held locks'))
        this.log.warning(describeHeldLocks(`The handler of ${this.#operation.id}`))
      const { timeline } = this.#transaction
      return shared.fetch(url, options, { signal: this.signal, headers: this.traceHeaders, timeline })
    }
  }

  get substituteParts(): SubstituteParts {
    const handlerDependencies = this.#parts
    const { settings, shared } = handlerDependencies
    const [operation, transaction, operator, catalog] = [
      this.#operation,
      this.#transaction,
      this.#operator,
      this.#catalog,
    ]
    return { operation, transaction, operator, catalog, settings, shared, handlerDependencies }
  }

  get afterCommit(): HandlerContext['afterCommit'] {
    return (work) => {
      if (!this.#request) throw new Error('onError has no commit: what the handler wrote is rolled back')
      if (this.#isOver) throw new Error('The request is over: its commit has begun')
      if (typeof work !== 'function') throw new TypeError('context.afterCommit takes a function')
      this.#workAfterCommit ??= []
      this.#workAfterCommit.push(work)
    }
  }

  async createSessionToken(): Promise<SessionToken> {
    if (!this.#request) throw new Error('onError makes no session token')
    if (verificationOf(this.#operation.verification).issuedBy === 'gateway')
      throw new Error('An operation with the verification Token makes no session token: a stolen one could be renewed')
    const issue = requireIssuer(this.#parts.verifiers)
    const { token, id, expires } = await issue(this.#operator.id, this.#catalog.defaultNode)
    this.log.information('A session token was issued.', { tokenId: id })
    const cookie = `PS_TOKEN=${token}; Path=/; HttpOnly; SameSite=Lax${this.#transaction.isSecure ? '; Secure' : ''}`
    return { token, cookie, expires }
  }

  get traceHeaders(): Readonly<Record<string, string>> {
    return writeTraceHeaders(this.#transaction)
  }

  get database(): HandlerDatabase {
    const request = this.#request
    if (!request) throw new Error('onError has no database: what the handler wrote is rolled back')
    const isLate = this.#isOver && !this.#opened
    const opened = this.#open(request)
    if (isLate) void opened.rollback() // so that each of its statements is rejected
    return opened.database
  }

  #open(request: Memory): HandlerTransaction {
    const { store, settings } = this.#parts
    this.#opened ??= store.openHandlerTransaction({
      wait: settings.limits.databaseWait,
      signal: this.signal,
      rows: new RowMemory(() => request.openAccount()),
      isPortable: this.#isPortable,
      isSerializable: this.#operation.transaction === 'write',
      ...this.#watch,
    })
    return this.#opened
  }

  get snapshot(): HandlerDatabase {
    const request = this.#request
    if (!request) throw new Error('onError has no snapshot of the database')
    const { store, settings } = this.#parts
    this.#snapshot ??= store.openSnapshot({
      wait: settings.limits.databaseWait,
      rows: new RowMemory(() => request.openAccount()),
      isPortable: this.#isPortable,
      ...this.#watch,
      requireDue: () => {
        if (!this.#isConcluded)
          throw new Error('context.snapshot begins with the commit: only a stream can read from it')
      },
    })
    if (this.#isOver && !this.#isConcluded) void this.#snapshot.close() // its statements are rejected
    return this.#snapshot.database
  }

  /** Its transaction failed because of another one. */
  get isConflict(): boolean {
    return this.#opened?.isConflict === true
  }

  /** For a stream: what it reads is the state after the transaction. */
  conclude(): void {
    this.#isConcluded = true
  }

  /** The call is over. Undefined if it had none. */
  closeSnapshot(): Promise<void> | undefined {
    this.#isOver = true
    this.#isConcluded = false
    return this.#snapshot?.close()
  }

  get #watch(): { readonly watch?: (summary: string) => (error: unknown) => void } {
    const { timeline } = this.#transaction
    return timeline ? { watch: (summary) => timeline.begin('database', summary) } : {}
  }

  get #isPortable(): boolean {
    return this.#catalog.configuration.databaseValues === 'portable'
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.#abortReason) this.#controller.abort(this.#abortReason)
    }
    return this.#controller.signal
  }

  abort(reason: Error): void {
    this.#abortReason = reason
    this.#controller?.abort(reason)
  }

  /** Cached responses that are deleted at the commit. */
  get deletedCaches(): Iterable<CacheDeletion> {
    return this.#deletedCaches?.values() ?? []
  }

  /** No transaction can be opened from here on. @returns whether there is anything to commit: most calls only read */
  finish(): boolean {
    this.#isOver = true
    return this.#opened !== undefined || this.#deletedCaches !== undefined || this.#workAfterCommit !== undefined
  }

  get workAfterCommit(): readonly WorkAfterCommit[] | undefined {
    return this.#workAfterCommit
  }

  /** @param final the last statement, also of a transaction without another one */
  async commit(final?: FinalStatement): Promise<void> {
    const opened = final && this.#request ? this.#open(this.#request) : this.#opened
    await opened?.commit(final)
  }

  async rollback(): Promise<void> {
    this.#isOver = true
    await this.#opened?.rollback()
  }
}
