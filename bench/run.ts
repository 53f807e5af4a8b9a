/**
 * `npm run bench [-- row… | bulk | reload | cluster] [--rounds 5] [--seconds 2] [--connections 32]
 * [--client own|wrk] [--json] [--profile <folder>] [--trials 200]`
 *
 * The gateway against a bare `node:http` server that gives the same answers; docs/performance.md says what is measured
 * and how to read it. Nothing here asserts a time.
 */
import { arch, cpus, loadavg, platform } from 'node:os'
import { parseArgs } from 'node:util'
import { type Bulk, measureBulk } from './bulk.ts'
import { type ClusterMeasured, measureCluster, type Times } from './cluster.ts'
import { type Comparison, compare, type Side, type Spread } from './compare.ts'
import { clients, hasWrk } from './drive.ts'
import { canPin } from './pinned.ts'
import { measureReload, type Reload } from './reload.ts'
import { rows } from './rows.ts'
import { startGateway } from './servers.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '32' },
    client: { type: 'string', default: 'own' },
    json: { type: 'boolean', default: false },
    profile: { type: 'string' },
    trials: { type: 'string', default: '200' },
  },
})
const names = [...rows.map(({ name }) => name), 'bulk', 'reload', 'cluster']
const unknown = positionals.filter((name) => !names.includes(name))
if (unknown.length > 0) {
  console.error(`No row ${unknown.join(', ')}. There are: ${names.join(', ')}`)
  process.exit(2)
}
const client = clients.find((name) => name === values.client)
if (!client || (client === 'wrk' && !hasWrk())) {
  console.error(client ? 'wrk is not installed' : `No client ${values.client}. There are: ${clients.join(', ')}`)
  process.exit(2)
}
const isWanted = (name: string) => positionals.length === 0 || positionals.includes(name)
const options = {
  client,
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
  connections: Number(values.connections),
}
const machine = {
  node: process.version,
  system: `${platform()} ${arch()}`,
  processor: `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}`,
  loadBefore: Number(loadavg()[0]?.toFixed(2)),
  isPinned: canPin,
}
const print = (line: string) => {
  if (!values.json) console.log(line)
}

print(`Node ${machine.node} on ${machine.system}, ${machine.processor}; load average before: ${machine.loadBefore}`)
print(
  canPin
    ? 'Servers on core 0, client on core 1.'
    : 'Nothing is held to a core (no taskset, or one core only): the ratios tell less.',
)
const comparisons = await compareRows()
const bulk = isWanted('bulk') ? await measureBulk() : []
for (const measured of bulk) print(formatBulk(measured))
const reload = isWanted('reload') ? await measureReload(Math.max(2, options.rounds)) : undefined
if (reload) print(formatReload(reload))
const cluster = isWanted('cluster')
  ? await measureCluster({ instances: 3, workers: 2, trials: Number(values.trials) })
  : undefined
if (cluster) print(formatCluster(cluster))
if (values.json) console.log(JSON.stringify({ machine, options, rows: comparisons, bulk, reload, cluster }, null, 2))

async function compareRows(): Promise<Comparison[]> {
  const wanted = rows.filter(({ name }) => isWanted(name))
  if (wanted.length === 0) return []
  print(
    `${options.connections} connections, no pipelining, ${options.rounds} rounds of ${options.seconds} s each, by ${client === 'wrk' ? 'wrk' : 'bench/load.ts'}.\n`,
  )
  print(formatHead())
  const gateway = await startGateway({ isPinned: true, profile: values.profile })
  try {
    const comparisons: Comparison[] = []
    for (const row of wanted) {
      const comparison = await compare(row, gateway, options)
      comparisons.push(comparison)
      print(formatComparison(comparison))
    }
    return comparisons
  } finally {
    await gateway.stop()
    print('')
  }
}

function formatHead(): string {
  const side = `${'req/s'.padStart(8)}${'p50 ms'.padStart(8)}${'p99 ms'.padStart(8)}${'CPU µs'.padStart(8)}`
  const ratio = 'ratio (least–most)'.padStart(20)
  return [
    `${''.padEnd(16)}${'gateway'.padStart(8)}${''.padEnd(26)}${'bare'.padStart(8)}${''.padEnd(24)}${'gateway : bare'.padStart(20)}`,
    `${'row'.padEnd(16)}${side}  ${side}${ratio}${'by CPU time'.padStart(20)}`,
  ].join('\n')
}

function formatComparison({ name, gateway, bare, ratio, costRatio }: Comparison): string {
  const side = ({ perSecond, p50, p99, cost }: Side) =>
    [String(Math.round(perSecond)), p50.toFixed(2), p99.toFixed(2), cost?.toFixed(1) ?? '–']
      .map((text) => text.padStart(8))
      .join('')
  const spread = ({ median, least, most }: Spread) =>
    `${median.toFixed(2)} (${least.toFixed(2)}–${most.toFixed(2)})`.padStart(20)
  const idle = Math.min(gateway.clientIdle ?? 1, bare.clientIdle ?? 1)
  const warning = idle < 0.05 ? '  the client was hardly ever idle: bare could do more' : ''
  return `${name.padEnd(16)}${side(gateway)}  ${side(bare)}${spread(ratio)}${costRatio ? spread(costRatio) : ''}${warning}`
}

function formatBulk({ database, megabytes, rows, stored, seconds, perSecond, memoryBefore, memoryPeak }: Bulk): string {
  const lost = stored === rows ? 'every row stored' : `ONLY ${stored} STORED`
  const memory =
    memoryPeak === undefined
      ? ''
      : `; memory ${memoryBefore?.toFixed(0)} MB before, ${memoryPeak.toFixed(0)} MB at most`
  return `bulk on ${database}: ${megabytes.toFixed(0)} MB, ${rows} rows, ${lost}, ${seconds.toFixed(1)} s, ${Math.round(perSecond / 1000)}k rows/s${memory}`
}

function formatReload({ operations, quietGap, gaps, longestCalls, ready, turns, soak }: Reload): string {
  const list = (numbers: readonly number[]) => numbers.map((number) => number.toFixed(0)).join(', ')
  const samples = soak.samples.map(
    ({ reload, heap, files }) => `${reload}: ${heap.toFixed(1)} MB${files === undefined ? '' : `, ${files} files`}`,
  )
  return [
    `reload of ${operations} operations while calls stream in, ${gaps.length} times:`,
    `  longest gap without an answer  ${list(gaps)} ms (${quietGap.toFixed(0)} ms without a reload)`,
    `  longest call                   ${list(longestCalls)} ms`,
    `  activation to first answer     ${list(ready)} ms`,
    `  longest turn, processor time   ${list(turns)} ms`,
    `reloads of ${soak.operations} operations, heap after a collection: ${samples.join('; ')}`,
  ].join('\n')
}

function formatCluster({ instances, workers, trials, proxy, changes, misses, streamed }: ClusterMeasured): string {
  const times = ({ median, p99, most }: Times) =>
    [median, p99, most].map((time) => time.toFixed(0).padStart(7)).join('')
  const heads = 'median    p99   most'.padStart(21)
  return [
    `cluster of ${instances} instances × ${workers} workers on one PostgreSQL, ${proxy ? `behind HAProxy ${proxy}` : 'no HAProxy installed'}, ${trials} trials; ms until in force in every process:`,
    `  ${''.padEnd(20)}${heads}   ${heads}  with a look at the changes lost`,
    ...changes.map(({ kind, intact, lost }) => `  ${kind.padEnd(20)}${times(intact)}   ${times(lost)}`),
    `  concurrent misses of a once-cached entry: ${misses.crowds} crowds of ${misses.calls}, ${misses.meanRuns.toFixed(2)} runs of the handler on average, ${misses.mostRuns} at most`,
    `  meanwhile ${streamed.answered} calls answered, ${streamed.failed} failed`,
  ].join('\n')
}
