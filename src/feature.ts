/**
 * What a feature may contribute; each member is optional (decisions D-1300). The kernel goes through all features of
 * `features.ts`. By name it knows only three, in `gateway.ts` and where that is opened: limits, idempotency, rest-cache.
 */
import type { Action, ActionParts } from './actions/action.ts'
import type { Catalog } from './configuration/catalog.ts'
import type { ConfigurationPart } from './configuration/configuration-part.ts'
import { features } from './features.ts'
import type { Gateway } from './gateway.ts'
import type { AlertRows } from './model/alert.ts'
import type { EventRows } from './model/event.ts'
import type { LogLevel, Observation, Observe } from './model/observation.ts'
import type { PasswordForm } from './model/password-form.ts'
import type { Problem } from './model/problem.ts'
import type { SharedListener } from './model/shared-listener.ts'
import type { Traces } from './model/trace.ts'
import type { RecordedCall, Usage } from './model/usage.ts'
import type { Metrics } from './observe/metrics/metric-table.ts'
import type { ReportMessage } from './observe/metrics/report.ts'
import type { Project } from './project/open-project.ts'
import type { SubstituteRow } from './project/substitutes.ts'
import type { Rows } from './settings/row.ts'
import type { ReadSettings, Settings } from './settings.ts'
import type { FindTarget } from './steps/read-target.ts'
import type { Databases, FeatureTables, TablePlace } from './store/feature-tables.ts'
import type { StoredSecret } from './store/secrets.ts'
import type { ChangeCursor } from './store/store.ts'
import type { StoreAtStart, StoreOpening } from './store/store-at-start.ts'
import type { Verb } from './terminal/verb.ts'
import type { ProviderDocuments } from './verification/oauth2/provider-documents.ts'
import type { PasswordSource } from './verification/password-source.ts'
import type { Verifier, VerifierOptions } from './verification/verifier.ts'

export interface Feature extends ConfigurationPart {
  /** Groups of settings by their title: `{ Monitor: { monitor: rows } }` is `settings.monitor`. */
  readonly settings?: Readonly<Record<string, Rows>>
  checkSettings?(values: Settings): Iterable<Problem>
  /** Files that no module of a project may read. */
  secretFiles?(values: Settings): readonly string[]
  /** Warnings of `ig check` about settings and environment. */
  readonly findEnvironmentWarnings?: () => Promise<(settings: Settings, env: NodeJS.ProcessEnv) => Iterable<Problem>>
  /** Warnings of `ig check` about a project. */
  readonly findProjectWarnings?: () => Promise<(project: Project) => Iterable<Problem>>
  /** Handlers that this feature makes instead of a class of the project, by the state that the adoption report shows. */
  readonly substitutes?: Readonly<Record<string, SubstituteRow>>
  readonly tables?: Partial<Readonly<Record<TablePlace, FeatureTables>>>
  /** Events that receivers besides the log can get. */
  readonly events?: EventRows
  /** Events that are counted from 0, by level: an alert on a rate does not see the first of a counter that begins at 1. */
  readonly watchedEvents?: Readonly<Record<string, LogLevel>>
  /** Alerts that the console shows, or Prometheus has a rule for. */
  readonly alerts?: () => Promise<AlertRows>
  readonly metrics?: Metrics
  /** Conditions that `/readyz` lists although the process is ready. */
  readonly conditionNames?: readonly string[]
  /** Opens it in a process of an instance. */
  readonly open?: () => Promise<(context: FeatureContext) => OpenFeature | undefined | Promise<OpenFeature | undefined>>
  /** What it serves outside the URLs of operations; undefined if these settings serve nothing. */
  readonly targets?: () => Promise<(settings: Settings) => FindTarget | undefined>
  /** Verify callers by the modes that it adds; their rows are in `verifications.ts`. */
  readonly verifiers?: () => Promise<(options: VerifierOptions) => Promise<Readonly<Record<string, Verifier>>>>
  /** Its secrets in the store, which `ig.secretKey` encrypts. */
  readonly secrets?: () => Promise<(databases: Databases) => Promise<readonly StoredSecret[]>>
  /** Verifies the first passwords of operators that have none here; undefined if these settings name no server. */
  readonly passwords?: () => Promise<(settings: Settings, now: () => number) => PasswordSource | undefined>
  /** Other forms of passwords: `passwordSha1Utf16le` of a file of operators. */
  readonly passwordForms?: Readonly<Record<string, PasswordForm>>
  readonly actions?: () => Promise<readonly Action[]>
  /** What administration serves to viewers besides JSON, by path. @param accept of the request */
  readonly documents?: () => Promise<
    Readonly<Record<string, (parts: ActionParts, accept: string | undefined) => { type: string; text: string }>>
  >
  /** Its own listener, which several processes share: its port is checked before they start. */
  readonly listener?: () => Promise<(settings: Settings) => SharedListener | undefined>
  readonly verbs?: Readonly<Record<string, Verb>>
  /** Nouns of `ig`, with their summary: their verbs are actions. */
  readonly nouns?: Readonly<Record<string, string>>
  /** Members of the testing kit's gateway. */
  readonly testing?: () => Promise<(gateway: Gateway, observations: readonly Observation[]) => object>
}

/** What a feature opens with. */
export interface FeatureContext {
  readonly settings: ReadSettings
  /** Number of this worker in its instance. */
  readonly worker: number | undefined
  /** Number of processes of the instance that serve calls. */
  readonly workers: number
  /** Serves administration, and gets what all processes of the instance count. */
  readonly administers: boolean
  /** False in the process that serves administration for the workers. */
  readonly servesCalls: boolean
  /** Not under `ig dev` without `--jobs`. */
  readonly runsJobs: boolean
  readonly isDevelopment: boolean
  /** Reports to every observer of the stream of observations. */
  readonly observe: Observe
  /** Reports what this process has counted, which is otherwise due within a second. */
  reportCounts(): void
}

export interface OpenFeature {
  /** An observer of calls and events, beside the logs. */
  readonly observe?: Observe
  /** Begins the trace of a call. */
  readonly traces?: Traces
  /** Opens the store, or what stands in for it during an outage. */
  openStore?(opening: StoreOpening): Promise<StoreAtStart>
  /** Called when the gateway has everything as it is in the store. */
  onStoreRead?(snapshot: StoreSnapshot): void
  /** Counters since the start, by series. */
  counts?(): Readonly<Record<string, number>>
  /** Its conditions that apply, with a detail for people. */
  activeConditions?(): Readonly<Record<string, string | undefined>>
  /** How many connections to PostgreSQL it opens, besides those of the store. */
  readonly connections?: number
  /** Who called which operations since a time, in epoch milliseconds. */
  usage?(from: number): Promise<Usage>
  /** Calls that were answered since a time, in batches, the newest first. */
  recordedCalls?(from: number): AsyncIterable<readonly RecordedCall[]>
  /** In the administering process: receives the counters of all processes. Nothing is counted if no feature has it. */
  report?(message: ReportMessage): void
  /** Begins its work in the background, once the gateway is open. @param url of calls */
  begin?(gateway: Gateway, url: string): void | Promise<void>
  /** Where it listens, for people. */
  listens?(): string | undefined
  /** A line of the welcome of `ig dev`. */
  welcome?(catalog: Catalog): readonly [string, string] | undefined
  /** The process stops: begins no more work, and ends what runs within the grace time, in milliseconds. `close` follows. */
  stop?(grace: number): Promise<unknown>
  close?(): Promise<void>
}

/** What a process has read of the store. */
export interface StoreSnapshot {
  readonly gateway: Gateway
  readonly documents: Pick<ProviderDocuments, 'list' | 'changes'>
  readonly storeId: string
  readonly cursor: ChangeCursor
}

/** The feature table, type-checked against `Feature`. */
export const listedFeatures: Readonly<Record<string, Feature>> = features

type LoaderName = {
  [Name in keyof Feature]-?: NonNullable<Feature[Name]> extends () => Promise<unknown> ? Name : never
}[keyof Feature]

/** What the features contribute under this name, loaded. */
export async function loadContributions<Name extends LoaderName>(
  name: Name,
): Promise<Awaited<ReturnType<NonNullable<Feature[Name]>>>[]> {
  const loading = Object.values(listedFeatures).map((feature) => feature[name]?.())
  return (await Promise.all(loading)).filter((each) => each !== undefined) as never
}
