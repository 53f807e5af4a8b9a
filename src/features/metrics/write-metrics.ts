/** Metrics as text, in Prometheus's own format and in OpenMetrics (specification 20.1, 20.3). */

import { metricTable } from '../../observe/metrics/metric-table.ts'
import { bounds, publishedBounds, seriesOf, supervisor, writeFloat } from '../../observe/metrics/report.ts'
import type { CallTotal, Total } from '../../observe/metrics/total.ts'
import { writeHandlerMetrics } from './write-handler-metrics.ts'

export type Format = 'text' | 'openMetrics'

export const contentTypes: Readonly<Record<Format, string>> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openMetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
}

/** @param accept of the request */
export function chooseFormat(accept: string | undefined): Format {
  return /application\/openmetrics-text/i.test(accept ?? '') ? 'openMetrics' : 'text'
}

/** @param facts gauges of the instance as a whole, by series */
export function writeMetrics(total: Total, facts: Readonly<Record<string, number>>, format: Format): string {
  const samples = new Map<string, string[]>()
  const put = (series: string, value: number) => {
    const name = series.replace(/\{.*/s, '')
    const family = familyOf(name)
    const lines = samples.get(family) ?? []
    samples.set(family, lines)
    lines.push(`${series} ${value}`)
  }
  for (const [series, value] of Object.entries(facts)) put(series, value)
  for (const call of total.calls) putCall(call, put)
  for (const { operation, code, count } of total.refusals)
    put(seriesOf('ig_refusals_total', { operation, code }), count)
  for (const [worker, counters] of total.counters)
    for (const [series, count] of counters) put(ofWorker(series, worker), count)
  for (const [worker, gauges] of total.gauges)
    for (const [series, value] of Object.entries(gauges)) put(ofWorker(series, worker), value)

  const text: string[] = []
  for (const [family, { type, help }] of Object.entries(metricTable)) {
    const lines = samples.get(family)
    if (!lines) continue
    const name = format === 'openMetrics' && type === 'counter' ? family.replace(/_total$/, '') : family
    text.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines)
  }
  text.push(...writeHandlerMetrics(total.handlers.list(), format))
  if (format === 'openMetrics') text.push('# EOF')
  return `${text.join('\n')}\n`
}

function putCall({ count, seconds, slow: _, buckets, ...labels }: CallTotal, put: Put): void {
  put(seriesOf('ig_requests_total', labels), count)
  if (labels.outcome === 'refused') return
  const name = 'ig_request_duration_seconds'
  let below = 0
  for (const [index, more] of buckets.entries()) {
    below += more
    const bound = bounds[index]
    if (bound !== undefined && published.has(bound))
      put(seriesOf(`${name}_bucket`, { ...labels, le: writeFloat(bound) }), below)
  }
  put(seriesOf(`${name}_bucket`, { ...labels, le: '+Inf' }), count)
  put(seriesOf(`${name}_sum`, labels), seconds)
  put(seriesOf(`${name}_count`, labels), count)
}

type Put = (series: string, value: number) => void

const published = new Set(publishedBounds)

function ofWorker(series: string, worker: number): string {
  const label = `worker="${worker === supervisor ? 'supervisor' : worker}"`
  return series.endsWith('}') ? `${series.slice(0, -1)},${label}}` : `${series}{${label}}`
}

function familyOf(name: string): string {
  if (Object.hasOwn(metricTable, name)) return name
  return name.replace(/_(?:bucket|sum|count)$/, '')
}
