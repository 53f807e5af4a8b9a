/** Metrics of handlers: counters and histograms by name and labels (specification 5.48, 20.15). */

/** The labels of a series by name, such as `{ department: 'sales' }`. */
export type MetricLabels = Readonly<Record<string, string | number | boolean>>

/** Counters and histograms of handlers and jobs: `context.metrics`. */
export interface HandlerMetrics {
  /**
   * Adds to the counter `ig_handler_<name>`.
   * @param name letters, digits and underscores, such as `hires_total`
   * @param labels few values each, and no operators: every combination is a series of its own
   * @param increase 0 or more; default 1
   * @throws TypeError for a name, a label or a number that is not allowed
   * @example
   * ```ts
   * import type { Handler, HandlerContext, RequestMessage } from 'integration-gateway'
   *
   * export default class Hire implements Handler {
   *   onRequest(request: RequestMessage, context: HandlerContext) {
   *     const begun = context.now()
   *     context.metrics.count('hires_total', { department: 'sales' })
   *     context.metrics.observe('hire_seconds', (context.now() - begun) / 1000)
   *     return context.broker.createMessage(request.operationName, 'response')
   *   }
   * }
   * ```
   */
  count(name: string, labels?: MetricLabels, increase?: number): void
  /**
   * Adds an observation to the histogram `ig_handler_<name>`, whose bounds are those of Prometheus, 0.005 to 10: measure
   * seconds.
   * @throws TypeError as `count`
   */
  observe(name: string, value: number, labels?: MetricLabels): void
}

/** One series: what came to it since the last report, or all of it. */
export interface HandlerSeries {
  readonly kind: 'counter' | 'histogram'
  /** The name without `ig_handler_`. */
  readonly name: string
  /** Sorted by name. */
  readonly labels: Readonly<Record<string, string>>
  readonly sum: number
  /** Of a histogram: one for each bound, not cumulative, and one above them. */
  readonly buckets?: readonly number[]
}

export const handlerBounds: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export const maxSeries = 1000
/** Characters of a label's value. */
const maxValue = 200

interface SeriesState {
  readonly kind: HandlerSeries['kind']
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  sum: number
  readonly buckets: number[] | undefined
  isIdle: boolean
}

export class HandlerCounts implements HandlerMetrics {
  readonly #max: number
  readonly #onFull: () => void
  readonly #held = new Map<string, SeriesState>()
  /** By family: OpenMetrics knows `hires` and `hires_total` as one. */
  readonly #families = new Map<string, Pick<HandlerSeries, 'name' | 'kind'>>()
  /** Names of metrics with those of their labels. */
  readonly #shapes = new Set<string>()
  #isFull = false

  /** @param onFull called once, when a further series counts as `other` */
  constructor(onFull: () => void = () => {}, max = maxSeries) {
    this.#onFull = onFull
    this.#max = max
  }

  count(name: string, labels: MetricLabels = {}, increase = 1): void {
    if (!(Number.isFinite(increase) && increase >= 0))
      throw new TypeError(`A counter grows by 0 or more, not by ${increase}`)
    this.#hold('counter', name, labels).sum += increase
  }

  observe(name: string, value: number, labels: MetricLabels = {}): void {
    if (!Number.isFinite(value)) throw new TypeError(`An observation is a finite number, not ${value}`)
    const held = this.#hold('histogram', name, labels)
    const place = handlerBounds.findIndex((bound) => value <= bound)
    const index = place < 0 ? handlerBounds.length : place
    const { buckets = [] } = held
    buckets[index] = (buckets[index] ?? 0) + 1
    held.sum += value
  }

  /** Adds what another process counted. */
  add(series: readonly HandlerSeries[]): void {
    for (const { kind, name, labels, sum, buckets = [] } of series) {
      if (this.#findRival(kind, name)) continue // two versions of the code, during a rolling restart
      const held = this.#find(kind, name, labels)
      held.sum += sum
      for (const [index, count] of buckets.entries())
        if (held.buckets) held.buckets[index] = (held.buckets[index] ?? 0) + count
    }
  }

  /** A counter's value, or the number of a histogram's observations. */
  read(name: string, labels: MetricLabels = {}): number {
    const held = this.#held.get(keyOf(name, readLabels(labels)))
    return held?.buckets ? held.buckets.reduce((sum, count) => sum + count, 0) : (held?.sum ?? 0)
  }

  list(): readonly HandlerSeries[] {
    return [...this.#held.values()].map(({ kind, name, labels, sum, buckets }) => {
      return { kind, name, labels, sum, ...(buckets && { buckets: [...buckets] }) }
    })
  }

  /** What came since the last call; the series stay known. */
  take(): readonly HandlerSeries[] {
    if (this.#held.size === 0) return none
    const taken: HandlerSeries[] = []
    for (const held of this.#held.values()) {
      if (held.isIdle) continue
      const { kind, name, labels, sum, buckets } = held
      taken.push({ kind, name, labels, sum, ...(buckets && { buckets: [...buckets] }) })
      held.sum = 0
      buckets?.fill(0)
      held.isIdle = true
    }
    return taken
  }

  #hold(kind: HandlerSeries['kind'], name: string, given: MetricLabels): SeriesState {
    requireName(name)
    const rival = this.#findRival(kind, name)
    if (rival) throw new TypeError(`There is a ${rival.kind} ${rival.name} already: ${name} cannot be a ${kind}`)
    return this.#find(kind, name, readLabels(given))
  }

  #findRival(kind: HandlerSeries['kind'], name: string) {
    const known = this.#families.get(familyOf(name))
    return known && (known.kind !== kind || known.name !== name) ? known : undefined
  }

  #find(kind: HandlerSeries['kind'], name: string, labels: Readonly<Record<string, string>>): SeriesState {
    const held = this.#held.get(keyOf(name, labels)) ?? this.#make(kind, name, labels)
    held.isIdle = false
    return held
  }

  #make(kind: HandlerSeries['kind'], name: string, labels: Readonly<Record<string, string>>): SeriesState {
    const isFull = this.#held.size >= this.#max
    if (isFull && !this.#isFull) this.#onFull()
    this.#isFull ||= isFull
    // A further series of a known metric keeps its labels; a further metric, or one with new labels, has none
    const isKnown = this.#shapes.has(shapeOf(name, labels))
    const place = isFull
      ? { name: isKnown ? name : `other_${kind}s`, labels: isKnown ? mapValues(labels, () => 'other') : {} }
      : { name, labels }
    const key = keyOf(place.name, place.labels)
    const known = this.#held.get(key)
    if (known) return known
    const buckets = kind === 'histogram' ? new Array<number>(handlerBounds.length + 1).fill(0) : undefined
    const held: SeriesState = { kind, ...place, sum: 0, buckets, isIdle: false }
    this.#held.set(key, held)
    this.#shapes.add(shapeOf(place.name, place.labels))
    this.#families.set(familyOf(place.name), { kind, name: place.name })
    return held
  }
}

const none: readonly HandlerSeries[] = []

function familyOf(name: string): string {
  return name.replace(/_total$/, '')
}

function keyOf(name: string, labels: Readonly<Record<string, string>>): string {
  return JSON.stringify([name, labels])
}

function shapeOf(name: string, labels: Readonly<Record<string, string>>): string {
  return [name, ...Object.keys(labels)].join()
}

function mapValues(labels: Readonly<Record<string, string>>, map: () => string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(labels).map((name) => [name, map()]))
}

function requireName(name: string): void {
  if (!/^[a-zA-Z][a-zA-Z0-9_]{0,99}$/.test(name))
    throw new TypeError(`${JSON.stringify(name)} cannot name a metric: letters, digits and underscores`)
  if (/_(?:bucket|sum|count|created)$/.test(name))
    throw new TypeError(`${name} cannot name a metric: histograms write series that end so`)
}

function readLabels(given: MetricLabels): Readonly<Record<string, string>> {
  const names = Object.keys(given).sort()
  return Object.fromEntries(
    names.map((name) => {
      if (!/^(?!__)[a-zA-Z_][a-zA-Z0-9_]{0,99}$/.test(name))
        throw new TypeError(`${JSON.stringify(name)} cannot name a label`)
      if (taken.has(name)) throw new TypeError(`${name} cannot name a label: ${taken.get(name)}`)
      return [name, String(given[name]).toWellFormed().slice(0, maxValue)]
    }),
  )
}

const taken: ReadonlyMap<string, string> = new Map([
  ['le', 'histograms use it'],
  ['quantile', 'summaries use it'],
  ['operator', 'metrics never name operators'],
])
