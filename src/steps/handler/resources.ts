/**
 * The resources of a process (specification 5.45 to 5.47): each is opened once, however many calls ask at the same
 * time, tried again after a failure, and closed when the process stops.
 */

import { within } from '../../base/within.ts'
import { declaredResources } from '../../model/handler-resource.ts'
import type { Observe } from '../../model/observation.ts'
import { Resource, type ResourceContext } from '../../model/process-context.ts'
import { asError } from './failure.ts'

/** Milliseconds. */
const openLimit = 10_000
const retryDelay = 1_000
const checkEvery = 5_000
const closeLimit = 5_000
/** A stop that has used up its grace time leaves this much. */
const leastClosing = 100
/** Part of the grace time in which the store is closed, after the resources. */
const leftForStore = 500

interface ResourceEntry {
  /** Rejected by a failed opening, for a second. */
  value: Promise<unknown>
  /** Time of the failure, by `performance.now()`. */
  failedAt: number | undefined
  /** Error of the last opening or check. */
  error: Error | undefined
  checkedAt: number
}

export interface ResourcesOptions {
  readonly observe: Observe
  /** What `open` receives. */
  readonly context: (signal: AbortSignal) => ResourceContext
  /** Milliseconds; tests pass their own. */
  readonly clock?: () => number
}

export class Resources {
  readonly #options: ResourcesOptions
  readonly #clock: () => number
  /** Resources in the order of opening. */
  readonly #held = new Map<Resource, ResourceEntry>()
  readonly #stopping = new AbortController()

  constructor(options: ResourcesOptions) {
    this.#options = options
    this.#clock = options.clock ?? (() => performance.now())
  }

  get<Value>(resource: Resource<Value>): Promise<Value> {
    if (!(resource instanceof Resource))
      return Promise.reject(new TypeError('context.resource takes a resource that defineResource made'))
    const held = this.#held.get(resource as Resource)
    const isCurrent = held && (held.failedAt === undefined || this.#clock() - held.failedAt < retryDelay)
    return (isCurrent ? held.value : this.#open(resource as Resource, held)) as Promise<Value>
  }

  /** Failures are logged, and do not prevent the start. */
  async openAtStart(): Promise<void> {
    const atStart = declaredResources().filter(({ isOpenedAtStart }) => isOpenedAtStart)
    await Promise.allSettled(atStart.map((resource) => this.get(resource)))
  }

  /** For `/readyz`, without the reason; looks again at most once a second, for the next question. */
  get trouble(): string | undefined {
    let isAway = false
    for (const resource of declaredResources()) {
      if (!resource.definition.isRequired) continue
      const held = this.#held.get(resource)
      if (!held || held.error) isAway = true
      this.#poll(resource, held)
    }
    return isAway
      ? 'A resource that handlers need is not available. The log has the reason (resourceFailed).'
      : undefined
  }

  /** The last opened first. @param milliseconds left of the stop's grace time */
  async close(milliseconds: number): Promise<void> {
    if (this.#stopping.signal.aborted) return
    this.#stopping.abort(new Error('The gateway is stopping'))
    const limit = Math.max(leastClosing, Math.min(closeLimit, Math.round(milliseconds) - leftForStore))
    const left = [...this.#held].reverse()
    const closeNext = async ([resource, { value }]: [Resource, ResourceEntry]) => {
      const opened = await value.then((open) => ({ open })).catch(() => undefined)
      if (opened) await this.#closeOne(resource, opened.open)
      this.#held.delete(resource)
    }
    const inOrder = async () => {
      for (let next = left.shift(); next; next = left.shift()) await closeNext(next)
    }
    const late = () => {} // reported below
    await within(limit, inOrder()).catch(late)
    await within(leastClosing, Promise.all(left.splice(0).map(closeNext))).catch(late) // one that hangs keeps no other open
    if (this.#held.size === 0) return
    const names = [...this.#held.keys()].map(({ name }) => name).join(', ')
    this.#report(
      'warning',
      'resourceNotClosed',
      `Not closed within ${limit} ms: ${names}. The process ends without it.`,
    )
  }

  #open(resource: Resource, before: ResourceEntry | undefined): Promise<unknown> {
    const { definition, name } = resource
    if (this.#stopping.signal.aborted) return Promise.reject(this.#stopping.signal.reason)
    const end = new AbortController()
    const signal = AbortSignal.any([end.signal, this.#stopping.signal])
    const context = this.#options.context(signal)
    const opening = (async () => definition.open(context))()
    const late = new Error(`The resource ${name} did not open within ${openLimit / 1000} seconds`)
    const value = within(openLimit, opening, late)
    const held: ResourceEntry = { value, failedAt: undefined, error: undefined, checkedAt: this.#clock() }
    this.#held.delete(resource)
    this.#held.set(resource, held)
    value.then(
      () => before?.error && this.#report('information', 'resourceOpened', `The resource ${name} is open again.`),
      (reason) => {
        held.failedAt = this.#clock()
        held.error = asError(reason)
        end.abort(held.error)
        opening.then((open) => this.#closeOne(resource, open)).catch(() => {}) // too late: not to be leaked
        if (!before?.error)
          this.#complain(`The resource ${name} could not be opened; each use tries again.`, held.error)
      },
    )
    return value
  }

  async #closeOne({ definition, name }: Resource, value: unknown): Promise<void> {
    try {
      await definition.close(value)
    } catch (error) {
      this.#report('warning', 'resourceNotClosed', `The resource ${name} could not be closed.`, error)
    }
  }

  #poll(resource: Resource, held: ResourceEntry | undefined): void {
    if (!held || held.failedAt !== undefined) return void this.get(resource).catch(() => {})
    const { check } = resource.definition
    const isDue = this.#clock() - held.checkedAt >= (held.error ? retryDelay : checkEvery)
    if (!check || !isDue) return
    held.checkedAt = this.#clock()
    const checking = held.value.then((value) => check.call(resource.definition, value))
    within(openLimit, checking, new Error('the check takes too long')).then(
      () => {
        if (held.error) this.#report('information', 'resourceOpened', `The resource ${resource.name} works again.`)
        held.error = undefined
      },
      (reason) => {
        const isNew = held.error === undefined
        held.error = asError(reason)
        if (isNew) this.#complain(`The check of the resource ${resource.name} fails.`, held.error)
      },
    )
  }

  #complain(message: string, error: Error): void {
    this.#report('error', 'resourceFailed', message, error)
  }

  #report(level: 'error' | 'warning' | 'information', name: string, message: string, error?: unknown): void {
    this.#options.observe({ kind: 'event', level, name, message, ...(error !== undefined && { error }) })
  }
}
