/**
 * A strict reader of what `/metrics` answers, in both formats: whatever a scraper might stumble over is an error. After
 * the text format 0.0.4 of Prometheus, and OpenMetrics 1.0.
 */
import assert from 'node:assert/strict'

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface Family {
  readonly name: string
  readonly type: string
  readonly help: string
  readonly samples: readonly Sample[]
}

const suffixes: Readonly<Record<string, readonly string[]>> = {
  counter: [''],
  gauge: [''],
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['_sum', '_count'],
  unknown: [''], // of OpenMetrics
}

export function parseScrape(text: string, format: 'text' | 'openMetrics' = 'text'): ReadonlyMap<string, Family> {
  assert.ok(text.endsWith('\n'), 'the last line ends')
  const lines = text.slice(0, -1).split('\n')
  if (format === 'openMetrics') assert.equal(lines.pop(), '# EOF')
  const families = new Map<string, { name: string; type: string; help: string; samples: Sample[] }>()
  const seen = new Set<string>()
  let family: { name: string; type: string; help: string; samples: Sample[] } | undefined
  for (const line of lines) {
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/.exec(line) ?? []
    if (keyword === 'HELP') {
      assert.ok(!families.has(name), `${name} comes once, in one piece`)
      assert.ok(!/\\(?![\\n])/.test(rest), rest)
      family = { name, type: '', help: rest, samples: [] }
      families.set(name, family)
    } else if (keyword === 'TYPE') {
      assert.ok(family && family.name === name && family.type === '', `HELP before TYPE of ${name}`)
      assert.ok(rest in suffixes, rest)
      family.type = rest
    } else {
      assert.ok(family?.type, `a type before ${line}`)
      const sample = parseSample(line)
      const endings = format === 'openMetrics' && family.type === 'counter' ? ['_total'] : (suffixes[family.type] ?? [])
      assert.ok(
        endings.some((ending) => sample.name === family?.name + ending),
        `${sample.name} in ${family.name}`,
      )
      const key = sample.name + JSON.stringify(Object.entries(sample.labels).sort())
      assert.ok(!seen.has(key), `${line} stands once`)
      seen.add(key)
      family.samples.push(sample)
    }
  }
  for (const each of families.values()) {
    assert.ok(each.samples.length > 0, `${each.name} has samples`)
    if (each.type === 'histogram') checkHistogram(each)
    if (each.type !== 'gauge') for (const { name, value } of each.samples) assert.ok(value >= 0, `${name} ${value}`)
  }
  return families
}

function parseSample(line: string): Sample {
  const [, name = '', , pairs = '', value = ''] =
    /^([a-zA-Z_:][\w:]*)(\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*"(?:,(?!\})|(?=\})))*)\})? (\S+)$/.exec(line) ?? []
  assert.ok(name, `no sample: ${line}`)
  const labels = [...pairs.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text = '']) => [
    key,
    text.replace(/\\(.)/g, (_, character) => (character === 'n' ? '\n' : character)),
  ])
  const names = labels.map(([key]) => key)
  assert.equal(new Set(names).size, names.length, line)
  assert.match(value, /^(?:[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf)|NaN)$/, line)
  return { name, labels: Object.fromEntries(labels), value: Number(value.replace('Inf', 'Infinity')) }
}

function checkHistogram({ name, samples }: Family): void {
  const series = Map.groupBy(samples, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels))
  for (const [labels, each] of series) {
    const buckets = each.filter((sample) => sample.name === `${name}_bucket`)
    const bounds = buckets.map((sample) => Number((sample.labels.le ?? '').replace('Inf', 'Infinity')))
    assert.deepEqual(
      bounds,
      bounds.toSorted((one, other) => one - other),
      `${labels} in order`,
    )
    assert.equal(bounds.at(-1), Number.POSITIVE_INFINITY)
    for (const sample of buckets) assert.match(sample.labels.le ?? '', /^(?:\d+\.\d+|\+Inf)$/)
    const counts = buckets.map(({ value }) => value)
    assert.deepEqual(
      counts,
      counts.toSorted((one, other) => one - other),
      `${labels} adds up`,
    )
    assert.equal(each.find((sample) => sample.name === `${name}_count`)?.value, counts.at(-1))
    assert.ok(each.some((sample) => sample.name === `${name}_sum`))
  }
}

/** The sum of all samples that have these labels. */
export function sumOf(families: ReadonlyMap<string, Family>, name: string, labels: Sample['labels'] = {}): number {
  const family = families.get(name) ?? families.get(name.replace(/_(?:bucket|sum|count|total)$/, ''))
  const matching = (family?.samples ?? []).filter(
    (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  )
  return matching.reduce((sum, { value }) => sum + value, 0)
}
