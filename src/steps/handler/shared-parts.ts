/**
 * What all handlers and jobs of a process share (specification 5.42 to 5.53). Each part costs nothing for a call that
 * does not use it.
 */
import { type Once, openOnce } from '../../base/once.ts'
import { HandlerCounts, maxSeries } from '../../model/handler-metrics.ts'
import type { Observe } from '../../model/observation.ts'
import type { ProcessContext, ResourceContext } from '../../model/process-context.ts'
import type { Settings } from '../../settings.ts'
import type { Store } from '../../store/store.ts'
import type { Issuers } from '../../verification/verifier.ts'
import { type AfterCommit, noAfterCommit, openAfterCommit } from './after-commit.ts'
import { type OutgoingCalls, openOutgoingCalls } from './fetch/open-fetch.ts'
import { openLog } from './log.ts'
import { Resources } from './resources.ts'

export interface SharedParts {
  readonly resource: ProcessContext['resource']
  readonly setting: ProcessContext['setting']
  readonly metrics: HandlerCounts
  readonly fetch: OutgoingCalls['fetch']
  /** What the classes of a feature share: opened at its first use, closed with these parts. */
  part<Part extends ClosablePart>(open: OpenPart<Part>): Part
  readonly resources: Pick<Resources, 'openAtStart' | 'trouble'>
  readonly afterCommit: AfterCommit
  /** For warnings that are logged once for each operation of a revision. */
  readonly isFirst: Once
  /** Waits for work after commits. @param by `performance.now()`; by default after the grace time of a stop */
  close(by?: number): Promise<void>
}

export interface SharedOptions {
  readonly settings: Settings
  readonly observe: Observe
  /** For `context.fetch`: `ig dev`, tests. */
  readonly allowsLoopback?: boolean | undefined
  readonly store?: Pick<Store, 'databases' | 'load'> | undefined
  now(): number
}

interface ClosablePart {
  close(): Promise<void>
}
type OpenPart<Part> = (options: SharedOptions) => Part

export function openSharedParts(options: SharedOptions): SharedParts {
  const { settings, observe, allowsLoopback = false, now } = options
  const afterCommit = openAfterCommit()
  const { origins } = settings.fetch
  const outgoing = openOutgoingCalls({ origins: origins && new Set(origins), allowsLoopback, now })
  const parts = new Map<OpenPart<ClosablePart>, ClosablePart>()
  const metrics = new HandlerCounts(() => {
    const message = `Handlers have ${maxSeries} series of metrics; further ones count as "other".`
    observe({ kind: 'event', level: 'warning', name: 'handlerMetricsFull', message })
  })
  const resource: ProcessContext['resource'] = (wanted) => resources.get(wanted)
  const setting: ProcessContext['setting'] = (wanted) => settings.ofHandlers.value(wanted)
  const context: Omit<ResourceContext, 'fetch' | 'signal'> = {
    log: openLog(undefined, observe),
    metrics,
    now,
    resource,
    setting,
  }
  const resources = new Resources({
    observe,
    context: (signal) => ({ ...context, signal, fetch: (url, options) => outgoing.fetch(url, options, { signal }) }),
  })
  let closing: Promise<void> | undefined
  const close = async (by: number) => {
    await afterCommit.close(by - performance.now())
    await Promise.all([...parts.values()].map((part) => part.close()))
    await resources.close(by - performance.now())
    await outgoing.close()
  }
  return {
    resource,
    setting,
    metrics,
    fetch: outgoing.fetch,
    part<Part extends ClosablePart>(open: OpenPart<Part>) {
      const part = parts.get(open) ?? open(options)
      parts.set(open, part)
      return part as Part
    },
    resources,
    afterCommit,
    isFirst: openOnce(),
    close: (by = performance.now() + settings.limits.shutdownGrace) => (closing ??= close(by)),
  }
}

interface TrialGateway {
  readonly shared: SharedParts
  readonly verifiers: Issuers
  now(): number
}

/** For a call that is tried: nothing happens after its commit, and a token that it hands out is none. */
export function forTrial<Gateway extends TrialGateway>(gateway: Gateway): Gateway {
  const { shared, verifiers, now } = gateway
  const issue = async () => ({ token: 'none-in-a-trial', id: 'none', expires: now() })
  const tried = Object.entries(verifiers).map(([mode, verifier]) => [
    mode,
    verifier.issue ? { ...verifier, issue } : verifier,
  ])
  return {
    ...gateway,
    shared: { ...shared, afterCommit: noAfterCommit },
    verifiers: Object.fromEntries(tried) as Gateway['verifiers'],
  }
}
