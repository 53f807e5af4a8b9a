/** Processes killed at random moments of POST storms: what was acknowledged is there, whole and once (specification 5.8, 17.2, 17.5). */
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { send } from '../support/client.ts'
import { patience } from '../support/patience.ts'
import {
  connector,
  killProcess,
  type OrdealInstance,
  type OrdealProject,
  openProject,
  rowsOfPost,
  untilGone,
} from './instance.ts'
import { addTallies, type Ordeal, type Tally } from './ordeal.ts'

/** Who is killed; a supervisor also while it replaces its workers, which hand their sockets over. */
const targets = ['worker', 'supervisor', 'all', 'rolling'] as const
const callers = 8
/** Milliseconds after the kill of a worker in which the others must have answered. */
const answersWithin = 20_000

export const kill: Ordeal = {
  name: 'kill',
  title: 'kill -9 of a worker, the supervisor or all, at random moments of POST storms, on both databases at a time',
  figure: 'acknowledged = stored, none half, none twice, no orphan process',
  trials: 300,
  needs: () => (process.platform === 'linux' ? undefined : 'Linux: it reads /proc'),
  async open({ seed }) {
    const projects = await Promise.all([openProject('SQLite'), openProject('PostgreSQL')])
    const running = new Map<OrdealProject, OrdealInstance>()
    return {
      async trial(index, random) {
        const dice = projects.map(() => ({ kind: random(), after: random(), wait: random(), which: random() }))
        const tallies = await Promise.all(
          projects.map((project, at) => killOnce(project, running, `${seed}-${index}-`, dice[at] as Dice)),
        )
        return tallies.reduce(addTallies)
      },
      async close() {
        await Promise.all(projects.map((project) => project.close()))
      },
    }
  },
  judge({ acknowledged = 0, lost = 0, half = 0, twice = 0, orphans = 0, silent = 0, cut = 0 }, trials) {
    const faults: string[] = []
    if (lost > 0) faults.push(`${lost} POSTs were acknowledged and are not stored`)
    if (half > 0) faults.push(`${half} POSTs are stored in part`)
    if (twice > 0) faults.push(`${twice} POSTs are stored more than once`)
    if (orphans > 0) faults.push(`${orphans} processes outlived their supervisor`)
    if (silent > 0) faults.push(`${silent} times nothing was answered after a worker was killed`)
    if (acknowledged < 20 * trials) faults.push(`only ${acknowledged} POSTs were acknowledged: no storm`)
    if (trials >= 20 && cut === 0) faults.push('no POST was cut off: no kill met the storm')
    return faults
  },
}

/** Each from 0 to 1. */
interface Dice {
  readonly kind: number
  readonly after: number
  readonly wait: number
  readonly which: number
}

async function killOnce(
  project: OrdealProject,
  running: Map<OrdealProject, OrdealInstance>,
  prefix: string,
  { kind, after, wait, which }: Dice,
): Promise<Tally> {
  const instance = running.get(project) ?? (await project.start({ env: { IG_LIMITS_SHUTDOWNIDLE: '100ms' } }))
  running.set(project, instance)
  const target = targets[Math.floor(kind * targets.length)] as (typeof targets)[number]
  const storm = startStorm(instance.url, prefix)
  await storm.acknowledged(10 + Math.floor(after * 50))
  if (target === 'rolling') killProcess(instance.pid, 'SIGHUP')
  await sleep(target === 'rolling' ? wait * 1_500 : wait * 20)

  const workers = instance.workers()
  const all = [instance.pid, ...workers]
  const victims = { worker: [workers[Math.floor(which * workers.length)] ?? 0], all }[target as string] ?? [
    instance.pid,
  ]
  for (const pid of victims) if (pid > 0) killProcess(pid)
  let silent = 0
  if (
    target === 'worker' &&
    !(await Promise.race([storm.acknowledged(8), sleep(answersWithin, 'silent')]).then(isAnswer))
  )
    silent = 1
  const left = await untilGone(target === 'worker' ? victims : all, patience)
  const { acknowledged, sent, cut } = await storm.stop()
  for (const pid of left) killProcess(pid)
  if (target !== 'worker') running.delete(project)

  const stored = await project.count(prefix)
  const tally = { kills: 1, sent: sent.length, acknowledged: acknowledged.size, cut, orphans: left.length, silent }
  const judged = { lost: 0, half: 0, twice: 0 }
  for (const id of sent) {
    const rows = stored.get(id) ?? 0
    if (rows === 0 && acknowledged.has(id)) judged.lost += 1
    if (rows > 0 && rows < rowsOfPost) judged.half += 1
    if (rows > rowsOfPost) judged.twice += 1
  }
  return { ...tally, ...judged }
}

const isAnswer = (outcome: unknown) => outcome !== 'silent'

/** Callers that POST, each as fast as it is answered, until they are stopped. */
function startStorm(url: string, prefix: string) {
  const agent = new Agent({ keepAlive: true })
  const sent: string[] = []
  const acknowledged = new Set<string>()
  const waiting: { readonly count: number; readonly resolve: () => void }[] = []
  let count = 0
  let cut = 0
  let isOver = false
  const post = async () => {
    const id = `${prefix}${(count += 1)}`
    try {
      sent.push(id)
      const { status } = await send(url, `POST ${connector}/WRITE.v1`, {
        agent,
        headers: { 'x-id': id },
        signal: AbortSignal.timeout(patience),
      })
      if (status !== 200) return
      acknowledged.add(id)
      for (const { count, resolve } of waiting) if (acknowledged.size >= count) resolve()
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ECONNREFUSED') sent.splice(sent.indexOf(id), 1)
      if (code === 'ECONNRESET') cut += 1
      await sleep(5) // where nothing listens, a caller would ask thousands of times
    }
  }
  const calling = Array.from({ length: callers }, async () => {
    while (!isOver) await post()
  })
  return {
    /** Until so many more are acknowledged. */
    acknowledged(more: number): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push({ count: acknowledged.size + more, resolve })
      return promise
    },
    async stop() {
      isOver = true
      await Promise.all(calling)
      agent.destroy()
      return { sent, acknowledged, cut }
    },
  }
}
