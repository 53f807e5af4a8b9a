/**
 * A call of a draft (specification 41): its catalog, and a pipeline that stores nothing. No code is loaded for it (D-103).
 */

import { compileSteps } from '../configuration/catalog.ts'
import type { Configuration } from '../configuration/configuration.ts'
import { type Handlers, handlerKeyOf } from '../configuration/list-references.ts'
import type { Gateway } from '../gateway.ts'
import { Answer } from '../model/content/answer.ts'
import type { HandlerClass } from '../model/handler.ts'
import { HandlerCounts } from '../model/handler-metrics.ts'
import type { Observe } from '../model/observation.ts'
import type { Operation } from '../model/operation.ts'
import { forTrial } from '../steps/handler/shared-parts.ts'

/** Without limits: a trial counts nothing. @param loaded classes of this process, and substitutes */
export function compileTrial(configuration: Configuration, loaded: Handlers) {
  const usable = new Map(loaded)
  for (const key of configuration.operations.map(handlerKeyOf))
    if (!usable.has(key))
      usable.set(key, makeUntried(`This process has not loaded ${key}. It is loaded when the draft is activated.`))
  return compileSteps({ ...configuration, limits: [] }, usable)
}

export interface OpenTrial {
  readonly gateway: Gateway
  /** What the handler did that a rollback does not undo. */
  readonly outside: ReadonlySet<string>
}

export function openTrial(gateway: Gateway, catalog: Gateway['catalog'], observe: Observe): OpenTrial {
  const outside = new Set<string>()
  const tried = forTrial({ ...gateway, observe })
  const { store, shared } = tried
  return {
    outside,
    gateway: {
      ...tried,
      catalog,
      tracing: undefined,
      restCache: noCache,
      idempotency: nothingKept,
      store: {
        ...store,
        openHandlerTransaction: (options) => store.openHandlerTransaction({ ...options, isTrial: true }),
      },
      shared: {
        ...shared,
        metrics: new HandlerCounts(),
        fetch(url, options, run) {
          outside.add(`called ${URL.canParse(String(url)) ? new URL(url).origin : 'another server'} with context.fetch`)
          return shared.fetch(url, options, run)
        },
        resource(wanted) {
          outside.add(`used the resource ${wanted.name}`)
          return shared.resource(wanted)
        },
      },
    },
  }
}

/** Why the handler of a tried operation did not run. */
export function findNotRun({ handler }: Pick<Operation, 'handler'>): string | undefined {
  return (handler as Partial<NotRun>).notRun
}

interface NotRun extends HandlerClass {
  readonly notRun: string
}

/** A class whose handler is not run. */
export function makeUntried(why: string): NotRun {
  return class UntriedHandler {
    static readonly notRun = why
    onRequest(): Answer {
      return new Answer(501, why)
    }
  }
}

const noCache: Gateway['restCache'] = {
  knows: () => false,
  find: async () => undefined,
  answer: (_key, _operationId, run) => run(),
  deleteOperation: async () => {},
  deleteUrl: async () => 0,
  list: async () => ({ entries: [], total: 0, bytes: 0 }),
  size: { entries: 0, bytes: 0 },
  failures: 0,
}

const nothingKept: Gateway['idempotency'] = {
  answer: (_key, _request, run) => run(),
  find: async () => undefined,
  waiting: 0,
  deleteResponses: async () => {},
}
