/** What features add to the console. Deleting a feature's row here, and its folder, leaves a console. */
import type { ComponentType } from 'react'
import { jobs } from './features/jobs/feature.ts'
import { limits } from './features/limits/feature.ts'
import { listeners } from './features/listeners/feature.ts'
import { metrics } from './features/metrics/feature.ts'
import { monitor } from './features/monitor/feature.ts'
import { passThrough } from './features/pass-through/feature.ts'
import { restCache } from './features/rest-cache/feature.ts'
import { sessionTokens } from './features/session-tokens/feature.ts'
import { standIns } from './features/stand-ins/feature.ts'
import { webhooks } from './features/webhooks/feature.ts'
import type { CallersOf, CallsOf, LazyPart, OperationFactsProps, Page } from './page.ts'
import type { ReadColumns } from './parts/figures-columns.tsx'

export interface HandlerFormProps {
  readonly handler: Readonly<Record<string, unknown>>
  readonly operation: string
}

export const featurePages: readonly Page[] = [
  ...metrics.pages,
  ...monitor.pages,
  ...jobs.pages,
  ...listeners.pages,
  ...limits.pages,
  ...restCache.pages,
  ...sessionTokens.pages,
  ...webhooks.pages,
]
export const latestCalls: readonly LazyPart<CallsOf>[] = [...monitor.latestCalls]
/** Below the figures of Home. */
export const homeParts: readonly LazyPart<object>[] = [...monitor.home]
/** The first tab of an operation. */
export const figuresOfOperation: readonly LazyPart<{ readonly operation: string }>[] = [...metrics.figures]
export const callersOfOperation: readonly LazyPart<CallersOf>[] = [...monitor.callers]
/** Shown where there are no others. */
export const frequentCallers: readonly LazyPart<{ readonly operation: string }>[] = [...metrics.callers]
/** Beside the figures of an operation. */
export const factsOfOperation: readonly LazyPart<OperationFactsProps>[] = [
  ...metrics.facts,
  ...monitor.facts,
  ...restCache.facts,
  ...limits.facts,
]
/** Beside the form of an operator. */
export const factsOfOperator: readonly LazyPart<{ readonly id: string }>[] = [...monitor.operatorFacts]
/** Buttons on the page of an operator, for those who may lock it. */
export const operatorActions: readonly LazyPart<{ readonly id: string }>[] = [...sessionTokens.operatorActions]
export const featureLists = { ...jobs.lists, ...listeners.lists }
/** Figures in lists, of the rows of a page. */
export const figuresOfLists: Readonly<Partial<Record<string, readonly ReadColumns[]>>> = {
  operations: [...metrics.operationColumns, ...monitor.operationColumns],
  operators: [...monitor.operatorColumns],
  jobs: [...jobs.figures],
}
export const featureColumns = { ...jobs.columns, ...listeners.columns }
/** Fields that an operation may have instead of a handler → what the editor says of such an operation. */
export const handlerFields: Readonly<Record<string, string>> = { ...standIns.handlerFields }
/** Parts of the editor for other forms of a handler, by their first member. */
export const handlerForms: Readonly<Record<string, ComponentType<HandlerFormProps>>> = { ...passThrough.handlerForms }
export const nodeColumns = [...passThrough.nodeColumns]
/** States of operations in the adoption report. */
export const substituteStates = { ...passThrough.states, ...standIns.states }

/** Whether there is the page of this link, which may be of a feature; those of operations and callers are always there. */
export function hasPage(link: string): boolean {
  const [, name] = link.split(/[/?]/)
  return name === 'operations' || name === 'callers' || featurePages.some(({ path }) => path === `/${name}`)
}
