/**
 * `npm test -- --times`: the processor time of each process of tests and of each test, with that of the processes which
 * they started: browsers, `ig`, databases; and how long its main thread had nothing to do. Linux only: elsewhere without these.
 */
import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { afterEach, beforeEach } from 'node:test'

interface Time {
  readonly batch: string
  /** Of the whole process if empty. */
  readonly test: string
  readonly processor: number
  /** Of processes which it started, ended or not. */
  readonly others: number
  readonly wall: number
  /** Its main thread neither ran nor waited for a processor: it waited for others, or for time. */
  readonly idle: number
}

type Reading = readonly [own: number, others: number, wall: number, busy: number]

export function recordTimes(file: string): void {
  const batch = basename(process.argv[1] ?? '', '.test.mjs')
  const record = (test: string, [own, others, wall, busy]: Reading) => {
    const ended = read()
    const took = ended[2] - wall
    const idle = took - (ended[3] - busy)
    const time: Time = { batch, test, processor: ended[0] - own, others: ended[1] - others, wall: took, idle }
    appendFileSync(file, `${JSON.stringify(time)}\n`)
  }
  const begun: Reading[] = []
  let last: readonly [name: string, begun: Reading] | undefined
  // What a test ends after itself counts too: to the begin of the next one
  const recordLast = () => {
    if (last) record(...last)
    last = undefined
  }
  beforeEach(() => {
    recordLast()
    begun.push(read())
  })
  afterEach((t) => {
    recordLast()
    last = ['name' in t ? t.name : '', begun.pop() ?? read()]
  })
  process.on('exit', () => {
    recordLast()
    record('', [0, 0, read()[2] - process.uptime(), 0])
  })
}

const now = performance.now.bind(performance) // a test may replace it

/** Seconds. */
function read(): Reading {
  const { user, system } = process.cpuUsage()
  const { ended, running } = readProcess('self')
  return [(user + system) / 1e6, (ended + running) / 100, now() / 1e3, readBusy()]
}

/** Seconds in which the main thread ran or waited for a processor. */
function readBusy(): number {
  try {
    const [ran = 0, waited = 0] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ').map(Number)
    return (ran + waited) / 1e9
  } catch {
    return now() / 1e3 // there is no /proc
  }
}

/** In ticks: what its ended children took, and what its running children did, with theirs. */
function readProcess(id: string): { readonly own: number; readonly ended: number; readonly running: number } {
  try {
    const fields = readFileSync(`/proc/${id}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
      .map(Number)
    const [user = 0, system = 0, ofUser = 0, ofSystem = 0] = fields.slice(11, 15)
    const children = readdirSync(`/proc/${id}/task`)
      .flatMap((thread) => readFileSync(`/proc/${id}/task/${thread}/children`, 'utf8').split(' '))
      .filter((child) => child !== '')
      .map(readProcess)
    const running = children.reduce((sum, child) => sum + child.own + child.ended + child.running, 0)
    return { own: user + system, ended: ofUser + ofSystem, running }
  } catch {
    return { own: 0, ended: 0, running: 0 } // it has just ended, or there is no /proc
  }
}

/** @returns a table: all processes, then the tests that took most */
export function summarizeTimes(file: string): string {
  const times: readonly Time[] = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const spent = ({ processor, others }: Time) => processor + others
  const line = (time: Time) =>
    `${[time.processor, time.others, time.idle, time.wall].map((each) => each.toFixed(1).padStart(8)).join('')}  ${time.batch}${time.test === '' ? '' : `: ${time.test}`}\n`
  const list = (some: readonly Time[]) =>
    some
      .toSorted((one, other) => spent(other) - spent(one))
      .map(line)
      .join('')
  const batches = times.filter(({ test }) => test === '')
  const tests = times.filter((time) => time.test !== '' && Math.max(spent(time), time.idle) >= 0.5)
  const all = batches.reduce((sum, time) => sum + spent(time), 0)
  return `\n     own  others    idle    wall  seconds; ${all.toFixed(0)} of processor time in all\n${list(batches)}\n${list(tests)}`
}
