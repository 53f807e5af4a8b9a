/** Metrics of handlers as text (specification 20.15). */
import { type HandlerSeries, handlerBounds } from '../../model/handler-metrics.ts'
import { seriesOf, writeFloat } from '../../observe/metrics/report.ts'

/** Lines of every metric, with its help and its type. */
export function writeHandlerMetrics(
  series: readonly HandlerSeries[],
  format: 'text' | 'openMetrics',
): readonly string[] {
  const lines: string[] = []
  for (const [name, members] of Map.groupBy(series, (each) => each.name)) {
    const full = `ig_handler_${name}`
    const kind = members[0]?.kind ?? 'counter'
    const isTotal = name.endsWith('_total')
    // OpenMetrics allows a counter only with this ending
    const [family, type] =
      format === 'text' || kind === 'histogram' ? [full, kind] : isTotal ? [full.slice(0, -6), kind] : [full, 'unknown']
    lines.push(`# HELP ${family} Of handlers.`, `# TYPE ${family} ${type}`)
    for (const member of members)
      lines.push(...(kind === 'counter' ? writeCounter(full, member) : writeHistogram(full, member)))
  }
  return lines
}

function writeCounter(name: string, { labels, sum }: HandlerSeries): readonly string[] {
  return [`${write(name, labels)} ${sum}`]
}

function writeHistogram(name: string, { labels, sum, buckets = [] }: HandlerSeries): readonly string[] {
  let count = 0
  const lines = handlerBounds.map((bound, index) => {
    count += buckets[index] ?? 0
    return `${write(`${name}_bucket`, { ...labels, le: writeFloat(bound) })} ${count}`
  })
  count += buckets[handlerBounds.length] ?? 0
  lines.push(`${write(`${name}_bucket`, { ...labels, le: '+Inf' })} ${count}`)
  lines.push(`${write(`${name}_sum`, labels)} ${sum}`, `${write(`${name}_count`, labels)} ${count}`)
  return lines
}

function write(name: string, labels: HandlerSeries['labels']): string {
  return Object.keys(labels).length === 0 ? name : seriesOf(name, labels)
}
