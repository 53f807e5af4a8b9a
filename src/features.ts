/**
 * The features: each is a folder of `features/` with a row here. Any but the three that `gateway.ts` names can be deleted;
 * `tools/without.ts` lists the other files that may have a row of it. A row only declares: the code behind `open`,
 * `actions` and `verbs` is loaded when it is needed, so every folder may import this table.
 */
import { descriptions } from './features/descriptions/feature.ts'
import { firstLogin } from './features/first-login/feature.ts'
import { idempotency } from './features/idempotency/feature.ts'
import { jobs } from './features/jobs/feature.ts'
import { lastGood } from './features/last-good/feature.ts'
import { limits } from './features/limits/feature.ts'
import { listeners } from './features/listeners/feature.ts'
import { metrics } from './features/metrics/feature.ts'
import { monitor } from './features/monitor/feature.ts'
import { passThrough } from './features/pass-through/feature.ts'
import { restCache } from './features/rest-cache/feature.ts'
import { sessionTokens } from './features/session-tokens/feature.ts'
import { standIns } from './features/stand-ins/feature.ts'
import { tracing } from './features/tracing/feature.ts'
import { webhooks } from './features/webhooks/feature.ts'
import { type EventRows, kernelEvents } from './model/event.ts'
import type { FeatureTables, TablePlace } from './store/feature-tables.ts'

export const features = {
  monitor,
  idempotency,
  descriptions,
  firstLogin,
  lastGood,
  tracing,
  jobs,
  webhooks,
  sessionTokens,
  passThrough,
  listeners,
  standIns,
  limits,
  restCache,
  metrics,
} as const

type Features = typeof features
/** What the features contribute under this name, together. */
type Contributions<Name extends string> = IntersectionOf<
  { [Each in keyof Features]: Name extends keyof Features[Each] ? Features[Each][Name] : never }[keyof Features]
>
/** The intersection of a union's members; an empty object type for `never`. */
export type IntersectionOf<Union> = [Union] extends [never]
  ? Record<never, never>
  : (Union extends unknown ? (each: Union) => void : never) extends (all: infer Each) => void
    ? Each
    : never

type ContributionName =
  | 'settings'
  | 'lists'
  | 'handlerFields'
  | 'handlerForms'
  | 'operationFields'
  | 'nodeFields'
  | 'substitutes'
  | 'events'
  | 'watchedEvents'
  | 'metrics'
  | 'passwordForms'
  | 'verbs'

export function mergeContributions<Name extends ContributionName>(name: Name): Contributions<Name> {
  return Object.assign({}, ...listContributions<object>(name)) as Contributions<Name>
}

/** What each feature contributes under this name. */
export function listContributions<Part>(name: string): readonly Part[] {
  return Object.values<object>(features).flatMap((feature) => Reflect.get(feature, name) ?? [])
}

/** The tables of the features in this part of the store, with the name of each feature. */
export function listTables(place: TablePlace): readonly (FeatureTables & { readonly feature: string })[] {
  return Object.entries<object>(features).flatMap(([feature, contributed]) => {
    const tables: Partial<Record<TablePlace, FeatureTables>> = Reflect.get(contributed, 'tables') ?? {}
    return tables[place] ? [{ ...tables[place], feature }] : []
  })
}

/** The members of what they contribute under this name, mapped. */
export function mapContributions<Name extends 'lists' | 'substitutes' | 'passwordForms', Row, Value>(
  name: Name,
  map: (row: Row) => Value,
): { readonly [Member in keyof Contributions<Name>]: Value } {
  const rows = listContributions<Readonly<Record<string, Row>>>(name).flatMap((contributed) =>
    Object.entries(contributed),
  )
  return Object.fromEntries(rows.map(([member, row]) => [member, map(row)])) as never
}

/** Lists of the configuration that features add, by name. */
export const listsOfFeatures: readonly (keyof Contributions<'lists'>)[] = Object.keys(
  mergeContributions('lists'),
) as never[]

type Forms = Contributions<'handlerForms'>
/** Other forms of an operation's handler than the name of a class. */
export const handlerForms: readonly Forms[keyof Forms][] = Object.values(mergeContributions('handlerForms'))

/** Fields of features that replace `handler` (an operation has exactly one of them). */
export const handlerFieldNames: readonly (keyof Contributions<'handlerFields'>)[] = Object.keys(
  mergeContributions('handlerFields'),
) as never[]

/** Every event that receivers can get, of the kernel and of the features (specification 35.1). */
export const events: EventRows = { ...kernelEvents, ...mergeContributions('events') }
