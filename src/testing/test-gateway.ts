/** What tests give to `openTestGateway`, and what they get (specification 11.4). */
import type { GatewayDefinition } from '../configuration/configuration.ts'
import type { HandlerDatabase } from '../model/handler-database.ts'
import type { MetricLabels } from '../model/handler-metrics.ts'
import type { JobOutcome, LogLevel } from '../model/observation.ts'
import type { Refusal } from '../model/refusal.ts'
import type { ProjectMigration } from '../store/store.ts'
import type { TestAnswer, TestCallOptions } from './test-call.ts'
import type { TestFeatures } from './test-features.ts'
import type { TestOperator } from './test-operators.ts'

/** Options of `openTestGateway`. */
export interface TestGatewayOptions {
  /** A project folder, as a path or a file URL; or the content of one. */
  readonly project: string | URL | TestProject
  /** Instead of the project's sample operators. */
  readonly operators?: readonly TestOperator[]
  /** The initial time; by default noon of the first day of 2026, UTC. */
  readonly now?: Date | string | number
  /** Overrides integrationGateway.properties: `{ 'ig.errorStyle': 'standard' }`. The environment is not read. */
  readonly settings?: Readonly<Record<string, string>>
  /** The variables of settings that modules of the project declare: `{ HR_URL: 'http://127.0.0.1:9000' }`. */
  readonly variables?: Readonly<Record<string, string>>
  /**
   * Instead of a temporary SQLite file: `postgres://…`, in which the gateway gets its own schema, which `close` drops,
   * or the name of an SQLite file, which is kept, its operators replaced by those of the test under the same ids.
   * `ig.database` of the settings above means the same; that of integrationGateway.properties is not used.
   */
  readonly database?: string
  /** Listens on a free port of this machine, or on the given one: see `url`. */
  readonly listen?: boolean | { readonly port: number }
}

/** The content of a project, for a test without a folder. */
export interface TestProject {
  /** What `gateway.config.ts` would export. */
  readonly configuration: GatewayDefinition
  /** The classes, by the reference that operations and jobs name: `{ 'handlers/echo.ts#Echo': Echo }`. */
  readonly handlers?: Readonly<Record<string, new () => object>>
  /** The folder of recorded responses, below `fixtures/`, and of handlers that are not given: a path or a file URL. */
  readonly folder?: string | URL
  /** In their order: the modules of `migrations/`, each with `name` and `up`. */
  readonly migrations?: readonly ProjectMigration[]
}

/** A complete gateway in the process of the test, with a store of its own and a stopped clock. */
export interface TestGateway extends AsyncDisposable, TestFeatures {
  /**
   * Calls an operation.
   * @param line method, and the URL after the node: `GET ECHO.v1/echo/x`; with a leading slash the whole target
   */
  call(line: string, options?: TestCallOptions): Promise<TestAnswer>
  /** Epoch milliseconds: handlers read them from `context.now()`. */
  now(): number
  /** Sets the clock, which is otherwise stopped. */
  setNow(time: Date | string | number): void
  /** Advances the clock. */
  advance(milliseconds: number): void
  /** Reads or writes the project's tables, in one transaction that is committed at the end. */
  withDatabase<Result>(work: (database: HandlerDatabase) => Promise<Result>): Promise<Result>
  /** An access token of the test's own issuer, as `as` sends it. */
  token(operatorId: string): Promise<string>
  /** The value of `Authorization` with the operator's password, as `as` sends it. */
  basicCredentials(operatorId: string): Promise<string>
  /**
   * The value of a counter of `context.metrics`, or the number of observations of a histogram; 0 if there is none.
   * @param labels all of them
   */
  metric(name: string, labels?: MetricLabels): number
  /**
   * `http://127.0.0.1:…`, for real clients: `fetch(gateway.url + '/PSIGW/RESTListeningConnector/…')`.
   * @throws Error unless the gateway was opened with `listen`
   */
  readonly url: string
  /** Every observation of the gateway in order, calls and their refusals included. */
  readonly observations: readonly TestObservation[]
  /** Stops, and deletes the store, except a given SQLite file. */
  close(): Promise<void>
}

/** What the gateway reported: a call or a run that ended, a note about one of them, or an event outside calls. */
export interface TestObservation {
  /** `answered` for a call that ended, `job` for a run. */
  readonly kind: 'answered' | 'note' | 'event' | 'job'
  /** Of a note, an event and a run. */
  readonly level?: LogLevel
  /** Of a note, an event and a run. */
  readonly message?: string
  /** Of an event, such as `storeAway`. */
  readonly name?: string
  /** Of a run. */
  readonly outcome?: JobOutcome
  /** Why a call was refused. */
  readonly refusal?: Refusal | undefined
  /** What was thrown. */
  readonly error?: unknown
}
