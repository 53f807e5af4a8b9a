/** Full disks, one by one: of the database, the logs, the spool and the monitor (specification 5.8, 8.6, 21.4, 23.9). */
import { execFileSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeSync,
} from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, send } from '../support/client.ts'
import { patience, patientVariables } from '../support/patience.ts'
import { connector, type OrdealInstance, openProject, rowsOfPost } from './instance.ts'
import type { Ordeal, Random, Tally } from './ordeal.ts'

/** By size in MiB: each has its own file system in memory. */
const disks = { database: 32, log: 2, spool: 4, monitor: 96 } as const
type Disk = keyof typeof disks
const names = Object.keys(disks) as Disk[]
/** Which disk a small POST, and one that is spooled, need. */
const needed: Readonly<Record<'small' | 'large', readonly Disk[]>> = {
  small: ['database'],
  large: ['database', 'spool'],
}
const clear: readonly string[] = ['500 handlerFailed', '503 overloaded']
const largeBody = Buffer.alloc(300_000, 'x')
const parallel = 8

export const full: Ordeal = {
  name: 'full',
  title: 'the disk of database, log, spool or monitor is full, and has room again, under POSTs',
  figure: 'refused clearly, nothing half stored, all other calls answered, back by itself',
  trials: 40,
  needs() {
    if (process.platform !== 'linux' || process.getuid?.() !== 0)
      return 'root on Linux, to mount file systems of its own'
    const folder = mkdtempSync(join(tmpdir(), 'ig-mount-'))
    try {
      mount(folder, 1)
      unmount(folder)
      return undefined
    } catch {
      return 'permission to mount a tmpfs'
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
  async open({ seed }) {
    const folder = mkdtempSync(join(tmpdir(), 'ig-full-'))
    const place = (disk: Disk) => join(folder, disk)
    for (const disk of names) {
      mkdirSync(place(disk))
      mount(place(disk), disks[disk])
    }
    symlinkSync(join(place('monitor'), 'gateway-monitor.sqlite'), join(place('database'), 'gateway-monitor.sqlite'))
    const project = await openProject('SQLite', place('database'))
    const instance = await project.start({
      env: {
        TMPDIR: place('spool'),
        ...patientVariables,
        IG_LOG_LEVEL: '4',
        IG_MESSAGELOG_FILENAME: join(place('log'), 'msgLog.html'),
        IG_ERRORLOG_FILENAME: join(place('log'), 'errorLog.html'),
        IG_MESSAGELOG_MAXSIZE: '300',
        IG_ERRORLOG_MAXSIZE: '300',
        IG_MESSAGELOG_MAXNBBACKUPFILES: '1',
        IG_ERRORLOG_MAXNBBACKUPFILES: '1',
      },
    })
    return {
      async trial(index, random) {
        const disk = names[index % names.length] as Disk
        const before = instance.log().length
        const prefix = `${seed}-${index}-`
        const calls = openCalls(instance, prefix)
        const makeRoom = fill(place(disk), random)
        await Promise.all(Array.from({ length: parallel }, () => calls.storm(disk)))
        const wasFull = await calls.meetsFull(disk, place('log'), () => instance.log().slice(before))
        const isListed = !wasFull || (await calls.isListed(disk, place('log')))
        makeRoom()
        const returned = await calls.untilBack(disk, place('log'), () => instance.log().slice(before))
        const stored = await project.count(prefix)
        const log = instance.log().slice(before)
        return {
          ...calls.tally(),
          ...returned,
          lost: calls.acknowledged.filter((id) => !stored.has(id)).length,
          half: [...stored.values()].filter((rows) => rows !== rowsOfPost).length,
          [`${disk}Unlisted`]: isListed ? 0 : 1,
          died: log.match(/workerDied|workerStalled/g)?.length ?? 0,
          [`${disk}Trials`]: 1,
          [`${disk}Full`]: wasFull ? 1 : 0,
          ...(disk === 'database' && { told: /"storeFull"/.test(instance.log()) ? 1 : 0 }),
        }
      },
      async close() {
        await project.close()
        for (const disk of names) unmount(place(disk))
        rmSync(folder, { recursive: true, force: true })
      },
    }
  },
  judge(tally, trials) {
    const none = (name: string, what: string) => (tally[name] ? [`${tally[name]} ${what}`] : [])
    const some = (name: string, what: string) => (tally[name] ? [] : [what])
    return [
      ...none('lost', 'acknowledged POSTs are not stored'),
      ...none('half', 'POSTs are half stored'),
      ...none('unclear', 'answers were no clear refusal'),
      ...none('disturbed', 'calls that need nothing of the full disk were refused'),
      ...none('away', 'times it was not back after room was made'),
      ...names.flatMap((disk) => none(`${disk}Unlisted`, `times /readyz did not list the condition of the ${disk}`)),
      ...none('died', 'workers died'),
      ...(trials < names.length
        ? []
        : [
            ...names.flatMap((disk) =>
              some(`${disk}Full`, `the disk of the ${disk} was never full: nothing met its end`),
            ),
            ...some('told', 'the log does not say that the database is full'),
          ]),
    ]
  },
}

/** A disk of so many megabytes. */
export function mount(folder: string, size: number): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}m`, 'tmpfs', folder], { stdio: 'ignore' })
}

/** Also where a file of it is still open. */
export function unmount(folder: string): void {
  execFileSync('umount', ['--lazy', folder], { stdio: 'ignore' })
}

/** All of a disk but for a few pages. @returns makes room again */
export function fill(folder: string, random: Random): () => void {
  const file = join(folder, 'filler')
  const handle = openSync(file, 'w')
  const spare = join(folder, 'spare')
  if (random() < 0.5) {
    const room = openSync(spare, 'w')
    writeSync(room, Buffer.alloc(4096 * Math.ceil(random() * 10)))
    closeSync(room)
  }
  for (const size of [1 << 20, 4096]) {
    const bytes = Buffer.alloc(size)
    try {
      for (;;) if (writeSync(handle, bytes) < size) break
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
  }
  closeSync(handle)
  rmSync(spare, { force: true })
  return () => rmSync(file)
}

/** Of `/readyz`. A spool that is full refuses its calls, and is full no more. */
const conditions: Readonly<Partial<Record<Disk, string>>> = {
  database: 'storeFull',
  log: 'logFailed',
  monitor: 'monitorAway',
}

function openCalls({ url }: OrdealInstance, prefix: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: parallel })
  const acknowledged: string[] = []
  const refused = { small: 0, large: 0 }
  let failed = 0
  let unclear = 0
  let disturbed = 0
  let count = 0
  const call = (line: string, id = '', body?: Buffer): Promise<Answer | undefined> =>
    send(url, `${line.replace(' ', ` ${connector}/`)}`, {
      agent,
      headers: { 'x-id': id },
      ...(body && { body }),
      signal: AbortSignal.timeout(patience),
    }).catch(() => undefined)
  const post = async (size: 'small' | 'large') => {
    count += 1
    const id = `${prefix}${count}`
    const answer = await call('POST WRITE.v1/', id, size === 'large' ? largeBody : Buffer.alloc(0))
    if (answer?.status === 200) acknowledged.push(id)
    else {
      refused[size] += 1
      if (size === 'small' && answer?.status === 500) failed += 1 // overload says nothing of the disk
      if (!clear.includes(`${answer?.status} ${answer?.headers['ig-refusal']}`)) unclear += 1
    }
    return answer?.status === 200
  }
  const other = async () => {
    if ((await call('GET READ.v1/'))?.status !== 200) disturbed += 1
  }
  const isLogged = async (logs: string) => {
    const id = (await call('GET READ.v1/'))?.headers['ig-transaction-id'] ?? '-'
    await sleep(20) // it is written in portions
    const file = join(logs, 'msgLog.html')
    return existsSync(file) && readFileSync(file, 'utf8').includes(id)
  }
  return {
    acknowledged,
    async storm(disk: Disk) {
      for (let at = 0; at < 8; at += 1) {
        for (const size of at % 4 === 3 ? (['large'] as const) : (['small'] as const)) {
          const isStored = await post(size)
          if (!isStored && !needed[size].includes(disk)) disturbed += 1
        }
        await other()
      }
    },
    /** Whether something could not be written there; more calls are made until that is so, or for a while. */
    async meetsFull(disk: Disk, logs: string, log: () => string): Promise<boolean> {
      const end = performance.now() + patience
      const checks: Readonly<Record<Disk, () => boolean | Promise<boolean>>> = {
        database: async () => {
          if (failed === 0) await post('small')
          return failed > 0
        },
        spool: async () => refused.large > 0 || !(await post('large')),
        log: async () => !(await isLogged(logs)),
        monitor: () => log().includes('"monitorAway"'),
      }
      while (!(await checks[disk]())) {
        if (performance.now() > end) return false
        await other()
      }
      return true
    },
    /** In `/readyz` of one of the workers. A log that has rotated has room, and is listed no more. */
    async isListed(disk: Disk, logs: string): Promise<boolean> {
      const condition = conditions[disk]
      if (condition === undefined) return true
      const end = performance.now() + patience
      while (!(await send(url, 'GET /readyz')).text.includes(`"${condition}"`)) {
        if (disk === 'log' && (await isLogged(logs))) return true
        if (performance.now() > end) return false
        await other()
      }
      return true
    },
    async untilBack(disk: Disk, logs: string, log: () => string): Promise<Tally> {
      const began = performance.now()
      const checks: Readonly<Record<Disk, () => boolean | Promise<boolean>>> = {
        database: () => post('small'),
        spool: () => post('large'),
        log: () => isLogged(logs),
        monitor: () => isMonitorBack(log()),
      }
      while (!(await checks[disk]())) {
        if (performance.now() - began > patience) return { away: 1 }
        await sleep(20)
      }
      return { maxBackMilliseconds: Math.round(performance.now() - began) }
    },
    tally(): Tally {
      agent.destroy()
      return {
        acknowledged: acknowledged.length,
        unclear,
        disturbed,
        refused: refused.small + refused.large,
      }
    },
  }
}

/** Each worker that said that it stores no transactions says that it does again. */
function isMonitorBack(log: string): boolean {
  const count = (name: string) => log.split(`"${name}"`).length - 1
  return count('monitorAway') <= count('monitorBack')
}
