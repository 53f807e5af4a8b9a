/**
 * `npm run bench [-- name…] [--rounds 5] [--seconds 2] [--connections 32] [--client wrk|own] [--json]
 * [--profile <folder>] [--trials 200]`
 *
 * Prints every target of the table in rows.ts: docs/explanation/performance.md says what is measured and how to read it. A name
 * stands for all rows that begin with it. Nothing here asserts a time.
 */
import { arch, cpus, loadavg, platform } from 'node:os'
import { parseArgs } from 'node:util'
import { clients } from './drive.ts'
import { openIssuer } from './issuer.ts'
import { peers } from './peers.ts'
import { canPin } from './pinned.ts'
import type { Spread } from './rounds.ts'
import { rows } from './rows.ts'
import type { Bench, Outcome, Row, Target } from './versus.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '32' },
    client: { type: 'string' },
    trials: { type: 'string', default: '200' },
    json: { type: 'boolean', default: false },
    profile: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  const usage =
    'npm run bench [-- row…] [--rounds 5] [--seconds 2] [--connections 32] [--client wrk|own] [--json] [--profile folder] [--trials 200]'
  console.log(`${usage}\n\nRows, by their whole name or what stands before the colon:`)
  for (const { name, work, against } of rows) console.log(`  ${name.padEnd(24)}${work}; against ${against}`)
  process.exit()
}
const versions = Object.fromEntries(Object.entries(peers).map(([name, version]) => [name, version()]))
const stands = (wanted: string, name: string) => name === wanted || name.startsWith(`${wanted}:`)
const unknown = positionals.filter((wanted) => !rows.some(({ name }) => stands(wanted, name)))
if (unknown.length > 0) fail(`No row ${unknown.join(', ')}. There are: ${rows.map(({ name }) => name).join(', ')}`)
const client = clients.find((name) => name === (values.client ?? (versions.wrk ? 'wrk' : 'own')))
if (!client) fail(`No client ${values.client}. There are: ${clients.join(', ')}`)
if (client === 'wrk' && !versions.wrk) fail('wrk is not installed: bench/setup')
const wanted = rows.filter(({ name }) => positionals.length === 0 || positionals.some((part) => stands(part, name)))

const options = {
  client,
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
  connections: Number(values.connections),
  trials: Number(values.trials),
  profile: values.profile,
}
const machine = {
  node: process.version,
  system: `${platform()} ${arch()}`,
  processor: `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}`,
  loadBefore: Number(loadavg()[0]?.toFixed(2)),
  isPinned: canPin,
  versions,
}
printHead()
await using issuer = await openIssuer().then((opened) => ({ ...opened, [Symbol.asyncDispose]: opened.close }))
let tokens: Promise<readonly string[]> | undefined
const bench: Bench = { options, issuer, tokens: () => (tokens ??= issuer.issue(20_000)) }
interface Result {
  readonly row: Omit<Row, 'measure'>
  readonly outcome?: Outcome
  readonly skipped?: string
  readonly failed?: string
}
const results: Result[] = []
for (const row of wanted) {
  const missing = row.needs.filter((peer) => versions[peer] === undefined)
  const skipped = missing.map((peer) => `${peer} is not installed: bench/setup`).join('; ')
  const { measure, ...described } = row
  if (skipped) {
    print(`${row.name.padEnd(24)}skipped: ${skipped}`)
    results.push({ row: described, skipped })
    continue
  }
  try {
    const outcome = await measure(bench)
    print(formatOutcome(row, outcome))
    results.push({ row: described, outcome })
  } catch (error) {
    const failed = (error as Error).message
    print(`${row.name.padEnd(24)}FAILED: ${failed}`)
    results.push({ row: described, failed })
    process.exitCode = 1 // the other rows are worth having
  }
}
if (values.json) console.log(JSON.stringify({ machine, options, results }, null, 2))

function printHead(): void {
  const installed = Object.entries(versions).map(([name, version]) => `${name} ${version ?? '–'}`)
  print(`Node ${machine.node} on ${machine.system}, ${machine.processor}; load average before: ${machine.loadBefore}`)
  print(installed.join(', '))
  print(
    canPin
      ? 'Servers on core 0, client on core 1.'
      : 'Nothing is held to a core (no taskset, or one core only): the ratios tell less.',
  )
  const by = client === 'wrk' ? 'wrk' : 'bench/load.ts'
  print(
    `${options.connections} connections, no pipelining, ${options.rounds} rounds of ${options.seconds} s, by ${by}.`,
  )
  print('Median (least–most) of the rounds; behind it the gateway and what it is compared with.\n')
  print(`${'row'.padEnd(24)}${'figure'.padEnd(24)}${'measured'.padEnd(24)}${'target'.padEnd(32)}`)
}

/** A line for each figure, the detail behind the first. */
function formatOutcome({ name, targets }: Row, { figures, detail }: Outcome): string {
  const lines = targets.map((target, index) => {
    const { figure, unit = '' } = target
    const measured = figures[figure]
    const value = measured ? `${formatSpread(measured)}${unit && ` ${unit}`}` : '–'
    const fields = [figure.padEnd(24), value.padEnd(24), judge(target, measured).padEnd(32)]
    return `${(index === 0 ? name : '').padEnd(24)}${fields.join('')}${index === 0 ? detail : ''}`.trimEnd()
  })
  return lines.join('\n')
}

function formatSpread({ median, least, most }: Spread): string {
  const digits = most < 10 ? 2 : most < 100 ? 1 : 0
  const [middle, ...ends] = [median, least, most].map((number) => number.toFixed(digits))
  return least === most ? `${middle}` : `${middle} (${ends.join('–')})`
}

function judge({ atLeast, atMost }: Target, measured: Spread | undefined): string {
  if (measured === undefined) return 'not measured'
  const reaches = (bound: number) => (atMost !== undefined ? measured.median <= bound : measured.median >= bound)
  const sign = atMost !== undefined ? '≤' : '≥'
  const bound = atLeast ?? atMost
  return bound === undefined ? 'reported' : `${sign} ${bound} ${reaches(bound) ? 'met' : 'MISSED'}`
}

function print(line: string): void {
  if (!values.json) console.log(line)
}

function fail(message: string): never {
  console.error(message)
  process.exit(2)
}
