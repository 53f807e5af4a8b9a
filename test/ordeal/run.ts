/**
 * `npm run ordeal [-- name…] [--seed 1] [--trials n] [--minutes 20] [--again] [--json]`
 *
 * Prints one table. Each ordeal has at most so many minutes; an interrupted one continues at its next trial when it is
 * run again with the same seed. Exits 1 where a figure does not hold.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '../support/postgres.ts'
import { type Ordeal, type Progress, runOrdeal, type Tally } from './ordeal.ts'
import { ordeals } from './ordeals.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    trials: { type: 'string' },
    minutes: { type: 'string', default: '20' },
    again: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  print('npm run ordeal [-- name…] [--seed 1] [--trials n] [--minutes 20] [--again] [--json]\n\nOrdeals:')
  for (const { name, title, figure } of ordeals) print(`  ${name.padEnd(18)}${title}\n${' '.repeat(20)}${figure}`)
  process.exit()
}
const unknown = positionals.filter((name) => !ordeals.some((ordeal) => ordeal.name === name))
if (unknown.length > 0) {
  process.stderr.write(`No ordeal ${unknown.join(', ')}. Choose from: ${ordeals.map(({ name }) => name).join(', ')}\n`)
  process.exit(2)
}
const seed = requireNumber('seed')
const minutes = requireNumber('minutes')
const wanted = ordeals.filter(({ name }) => positionals.length === 0 || positionals.includes(name))

const interrupted = new AbortController()
process.once('SIGINT', () => interrupted.abort())
const folder = join(import.meta.dirname, '../../node_modules/.cache/ordeal')
mkdirSync(folder, { recursive: true })

interface Result {
  readonly name: string
  readonly figure: string
  readonly trials: number
  readonly done: number
  readonly tally: Tally
  readonly state: 'holds' | 'fails' | 'unfinished' | 'skipped'
  readonly faults: readonly string[]
}
const results: Result[] = []
const postgres = await startPostgres()
process.env.IG_TEST_POSTGRES = postgres.url
try {
  for (const ordeal of wanted) if (!interrupted.signal.aborted) results.push(await measure(ordeal))
} finally {
  await postgres.stop()
}
if (values.json) process.stdout.write(`${JSON.stringify({ seed, results })}\n`)
else printTable()
const code = results.some(({ state }) => state === 'fails') ? 1 : interrupted.signal.aborted ? 130 : 0
process.stdout.write('', () => process.exit(code)) // before node:test, which the helpers import, adds a summary of no tests

async function measure(ordeal: Ordeal): Promise<Result> {
  const { name, figure } = ordeal
  const trials = values.trials === undefined ? ordeal.trials : requireNumber('trials')
  const missing = ordeal.needs?.()
  if (missing) return { name, figure, trials, done: 0, tally: {}, state: 'skipped', faults: [missing] }
  const file = join(folder, `${name}-${seed}.json`)
  if (values.again) rmSync(file, { force: true })
  const from = readProgress(file)
  const over = new AbortController()
  const timer = setTimeout(() => over.abort(), minutes * 60_000) // held here: a signal of AbortSignal.timeout may be collected
  const signal = AbortSignal.any([interrupted.signal, over.signal])
  const say = (line: string) => progressLine(`${name}: ${line}`)
  let latest: Progress = from ?? { done: 0, tally: {} }
  const faults: string[] = []
  try {
    const onProgress = (progress: Progress) => {
      latest = progress
      writeFileSync(file, JSON.stringify(progress))
      say(`${progress.done} of ${trials}  ${format(progress.tally)}`)
    }
    latest = await runOrdeal(ordeal, { trials, seed, signal, say, onProgress, ...(from && { from }) })
  } catch (error) {
    faults.push(`trial ${latest.done}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  } finally {
    clearTimeout(timer)
  }
  const { done, tally } = latest
  if (done > 0) faults.push(...ordeal.judge(tally, done))
  const state = faults.length > 0 ? 'fails' : done < trials ? 'unfinished' : 'holds'
  return { name, figure, trials, done, tally, state, faults }
}

function readProgress(file: string): Progress | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Progress
  } catch {
    return undefined
  }
}

function printTable(): void {
  progressLine('')
  for (const { name, figure, trials, done, tally, state, faults } of results) {
    print(`${name.padEnd(18)}${state.padEnd(12)}${`${done} of ${trials}`.padEnd(16)}${format(tally)}`)
    print(`${' '.repeat(18)}${figure}`)
    for (const fault of faults) print(`${' '.repeat(18)}${fault}`)
  }
  if (results.some(({ state }) => state === 'unfinished')) print('\nRun the same command again to go on.')
}

function format(tally: Tally): string {
  return Object.entries(tally)
    .map(([name, value]) => `${name} ${Number.isInteger(value) ? value : value.toFixed(1)}`)
    .join(', ')
}

/** One line that overwrites itself, for people who watch. */
function progressLine(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}`)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

function requireNumber(name: 'seed' | 'trials' | 'minutes'): number {
  const number = Number(values[name])
  if (Number.isInteger(number) && number > 0) return number
  process.stderr.write(`--${name} must be a whole number above 0, not ${values[name]}\n`)
  process.exit(2)
}
