/**
 * `npm test -- --times`: the processor time of each process of tests and of each test, with that of the processes which
 * they started and which ended. Linux only: elsewhere without these.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { afterEach, beforeEach } from 'node:test'

interface Time {
  readonly batch: string
  /** Of the whole process if empty. */
  readonly test: string
  readonly processor: number
  /** Of processes which it started. */
  readonly others: number
  readonly wall: number
}

type Reading = readonly [own: number, others: number, wall: number]

export function recordTimes(file: string): void {
  const batch = basename(process.argv[1] ?? '', '.test.mjs')
  const record = (test: string, [own, others, wall]: Reading) => {
    const now = read()
    const time: Time = { batch, test, processor: now[0] - own, others: now[1] - others, wall: now[2] - wall }
    appendFileSync(file, `${JSON.stringify(time)}\n`)
  }
  const begun: Reading[] = []
  beforeEach(() => void begun.push(read()))
  afterEach((t) => record('name' in t ? t.name : '', begun.pop() ?? read()))
  process.on('exit', () => record('', [0, 0, read()[2] - process.uptime()]))
}

/** Seconds. */
function read(): Reading {
  const { user, system } = process.cpuUsage()
  const stat = '/proc/self/stat'
  const fields = existsSync(stat)
    ? readFileSync(stat, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
    : []
  const ticks = Number(fields[13] ?? 0) + Number(fields[14] ?? 0)
  return [(user + system) / 1e6, ticks / 100, performance.now() / 1e3]
}

/** @returns a table: all processes, then the tests that took most */
export function summarizeTimes(file: string): string {
  const times: readonly Time[] = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const spent = ({ processor, others }: Time) => processor + others
  const line = (time: Time) =>
    `${[time.processor, time.others, time.wall].map((each) => each.toFixed(1).padStart(8)).join('')}  ${time.batch}${time.test === '' ? '' : `: ${time.test}`}\n`
  const list = (some: readonly Time[]) =>
    some
      .toSorted((one, other) => spent(other) - spent(one))
      .map(line)
      .join('')
  const batches = times.filter(({ test }) => test === '')
  const tests = times.filter((time) => time.test !== '' && spent(time) >= 0.5)
  const all = batches.reduce((sum, time) => sum + spent(time), 0)
  return `\n     own  others    wall  seconds; ${all.toFixed(0)} of processor time in all\n${list(batches)}\n${list(tests)}`
}
