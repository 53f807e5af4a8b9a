/** The context of a run (specification 24.4). */
import type { Catalog } from '../../configuration/catalog.ts'
import type { ServerDescription } from '../../model/handler.ts'
import type { Broker } from '../../model/handler-broker.ts'
import type { HandlerDatabase } from '../../model/handler-database.ts'
import type { MemoryAccount, MemoryBudget } from '../../model/memory-budget.ts'
import type { JobRun } from '../../model/observation.ts'
import type { HandlerLog } from '../../model/process-context.ts'
import { RowMemory } from '../../model/row-memory.ts'
import { writeTraceHeaders } from '../../model/trace.ts'
import { type CacheDeletion, openLinks } from '../../steps/handler/broker.ts'
import type { HandlerDependencies } from '../../steps/handler/context.ts'
import { describeHeldLocks } from '../../steps/handler/fetch/held-locks.ts'
import { openLog } from '../../steps/handler/log.ts'
import type { Store } from '../../store/store.ts'
import type { HandlerTransaction } from '../../store/transaction.ts'
import type { Lease } from './contract.ts'
import type { JobContext } from './job.ts'
import { openJobs } from './rows.ts'
import { RunCut } from './run-cut.ts'
import type { ScheduledJob } from './scheduled-jobs.ts'
import { leaseTime } from './tables.ts'

export interface JobParts extends HandlerDependencies {
  readonly catalog: Catalog
  readonly store: HandlerDependencies['store'] & Pick<Store, 'databases' | 'clockOffset'>
  readonly memory: MemoryBudget
}

/** A run that has begun. */
export interface BegunRun {
  readonly job: ScheduledJob
  readonly lease: Lease
  readonly transaction: JobRun['transaction']
  readonly due: number
  readonly attempt: number
}

/** Milliseconds after which the server ends an idle transaction, so that a lost process keeps no locks beyond its lease. */
const idleLimit = leaseTime + 5_000

export class RunContext implements JobContext {
  readonly name: string
  readonly runId: string
  readonly due: number
  readonly attempt: number
  readonly broker: Pick<Broker, 'getUrl' | 'deleteRestCache'>
  readonly log: HandlerLog
  readonly server: ServerDescription
  readonly now: () => number
  readonly fetch: JobContext['fetch']
  readonly metrics: JobContext['metrics']
  readonly resource: JobContext['resource']
  readonly setting: JobContext['setting']
  readonly deletedCaches = new Set<CacheDeletion>()
  readonly #run: BegunRun
  readonly #parts: JobParts
  readonly #controller = new AbortController()
  #opened: HandlerTransaction | undefined
  #memory: MemoryAccount | undefined
  #isOver = false
  #hasWarned = false

  constructor(run: BegunRun, parts: JobParts) {
    const { job, transaction, due, attempt } = run
    this.name = job.name
    this.runId = transaction.id
    this.due = due
    this.attempt = attempt
    this.broker = openLinks(parts.catalog, parts.settings, (deletion) => this.deletedCaches.add(deletion))
    this.log = openLog(transaction, parts.observe)
    this.fetch = (url, options) => {
      this.#warnOfWaiting()
      return parts.shared.fetch(url, options, { signal: this.signal, headers: this.traceHeaders })
    }
    this.metrics = parts.shared.metrics
    this.resource = parts.shared.resource
    this.setting = parts.shared.setting
    this.server = parts.server
    this.now = parts.now
    this.#run = run
    this.#parts = parts
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get traceHeaders(): Readonly<Record<string, string>> {
    return writeTraceHeaders(this.#run.transaction)
  }

  get database(): HandlerDatabase {
    if (this.#isOver) throw new Error('The run is over: its transaction has ended')
    return this.#open().database
  }

  abort(reason: Error): void {
    this.#controller.abort(reason)
  }

  /** Commits even without statements of the job, because the final statement records the run. */
  async commit(): Promise<void> {
    this.#isOver = true
    const { store, now } = this.#parts
    await this.#open().commit({
      query: openJobs(store.databases).finalStatementOf(this.#run.lease, now() + store.clockOffset),
      fail: () => new RunCut('lost', 'Another process has taken the job over'),
    })
  }

  async rollback(): Promise<void> {
    this.#isOver = true
    await this.#opened?.rollback()
  }

  /** Keeps the transaction open; called with each renewal of the lease. */
  async touch(): Promise<void> {
    await this.#opened?.touch()
  }

  close(): void {
    this.#memory?.close()
  }

  #warnOfWaiting(): void {
    if (this.#hasWarned || !this.#opened?.holdsLocks) return
    this.#hasWarned = true
    this.log.warning(describeHeldLocks(`The job ${this.name}`))
  }

  #open(): HandlerTransaction {
    const { store, settings, memory, catalog } = this.#parts
    this.#opened ??= store.openHandlerTransaction({
      wait: settings.limits.databaseWait,
      signal: this.signal,
      rows: new RowMemory(() => (this.#memory ??= memory.open())),
      idleLimit,
      isPortable: catalog.configuration.databaseValues === 'portable',
    })
    return this.#opened
  }
}
