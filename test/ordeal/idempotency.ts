/** A client that repeats its POSTs with their keys, while processes are killed, finds each done exactly once (specification 26.4, 26.6). */
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from '../../src/store/open-store.ts'
import { basic, send } from '../support/client.ts'
import { hashOnce } from '../support/hash-once.ts'
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
import { addTallies, type Ordeal, type Random, type Tally } from './ordeal.ts'

const targets = ['worker', 'worker', 'all', 'supervisor'] as const
const clients = 8

const files = {
  'gateway.config.ts': `
export default {
  nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }],
  services: [{ name: 'ORDEAL' }],
  operations: [
    { service: 'ORDEAL', name: 'ONCE', method: 'POST', verification: 'Basic', handler: 'handlers/once.ts' },
  ],
  permissionLists: [{ name: 'ALL', services: ['ORDEAL'] }],
}`,
  'handlers/once.ts': `
export default class Once {
  async onRequest(request, context) {
    const id = await request.getContentString()
    await context.database.insertRows('NOTE', ['ID', 'PART'], [[id, 1], [id, 2], [id, 3]])
    await context.database.insertRows('NOTE', ['ID', 'PART'], [[id, 4], [id, 5]])
    const response = context.broker.createMessage(request.operationName, 'response')
    response.setContentString(context.transactionId)
    return response
  }
}`,
}

/** @param kills of one trial, on each database */
export function openRepetitions({ kills }: { readonly kills: number }): Ordeal {
  return {
    name: 'idempotency',
    title: `${kills} times kill -9 of a worker, the supervisor or all, while clients repeat POSTs with their Idempotency-Key, on both databases at a time`,
    figure: 'every POST answered, stored once and whole, each repetition with the first answer',
    trials: 40,
    needs: () => (process.platform === 'linux' ? undefined : 'Linux: it reads /proc'),
    async open({ seed }) {
      const projects = await Promise.all([
        openProject('SQLite', undefined, files),
        openProject('PostgreSQL', undefined, files),
      ])
      const passwordHash = await hashOnce('client-password')
      for (const { url } of projects) {
        const store = await openStore(url)
        await store.operators.add({ id: 'CLIENT', passwordHash, permissionLists: ['ALL'] })
        await store.close()
      }
      const running = new Map<OrdealProject, OrdealInstance>()
      return {
        async trial(index, random) {
          const dice = projects.map(() => openDice(random, kills))
          const tallies = await Promise.all(
            projects.map((project, at) => repeatThroughKills(project, running, `${seed}-${index}-`, dice[at] ?? [])),
          )
          return tallies.reduce(addTallies)
        },
        async close() {
          await Promise.all(projects.map((project) => project.close()))
        },
      }
    },
    judge(
      { answered = 0, repeated = 0, replayed = 0, lost = 0, half = 0, twice = 0, changed = 0, unanswered = 0 },
      trials,
    ) {
      const faults: string[] = []
      if (lost > 0) faults.push(`${lost} POSTs were answered and are not stored`)
      if (half > 0) faults.push(`${half} POSTs are stored in part`)
      if (twice > 0) faults.push(`${twice} POSTs are stored more than once`)
      if (changed > 0) faults.push(`${changed} repetitions got another answer than the first`)
      if (unanswered > 0) faults.push(`${unanswered} POSTs were not answered, however often they were repeated`)
      if (answered < 8 * kills * trials) faults.push(`only ${answered} POSTs were answered: no storm`)
      if (trials >= 5 && (repeated === 0 || replayed === 0))
        faults.push('no POST had to be repeated: no kill met the storm')
      return faults
    },
  }
}

export const idempotency = openRepetitions({ kills: 5 })

interface Dice {
  readonly target: (typeof targets)[number]
  /** From 0 to 1. */
  readonly after: number
  readonly wait: number
  readonly which: number
}

function openDice(random: Random, kills: number): readonly Dice[] {
  return Array.from({ length: kills }, () => ({
    target: targets[Math.floor(random() * targets.length)] ?? 'worker',
    after: random(),
    wait: random(),
    which: random(),
  }))
}

async function repeatThroughKills(
  project: OrdealProject,
  running: Map<OrdealProject, OrdealInstance>,
  prefix: string,
  dice: readonly Dice[],
): Promise<Tally> {
  let instance = running.get(project) ?? (await project.start())
  const storm = startStorm(instance.url, prefix)
  for (const { target, after, wait, which } of dice) {
    await storm.answered(4 + Math.floor(after * 12))
    await sleep(wait * 20)
    const workers = instance.workers()
    const one = workers[Math.floor(which * workers.length)] ?? 0
    const victims = target === 'worker' ? [one] : target === 'all' ? [instance.pid, ...workers] : [instance.pid]
    for (const pid of victims) if (pid > 0) killProcess(pid)
    if (target === 'worker') continue
    for (const pid of await untilGone([instance.pid, ...workers], patience)) killProcess(pid)
    instance = await project.start({ port: Number(new URL(instance.url).port) })
  }
  running.set(project, instance)
  const { ids, ...tally } = await storm.stop()
  const stored = await project.count(prefix)
  const judged = { lost: 0, half: 0, twice: 0 }
  for (const id of ids) {
    const rows = stored.get(id) ?? 0
    if (rows === 0) judged.lost += 1
    else if (rows < rowsOfPost) judged.half += 1
    else if (rows > rowsOfPost) judged.twice += 1
  }
  return { kills: dice.length, ...tally, ...judged }
}

/** Clients that POST one id after the other, each until it is answered with 200. */
function startStorm(url: string, prefix: string) {
  const agent = new Agent({ keepAlive: true })
  const ids: string[] = []
  const tally = { answered: 0, repeated: 0, replayed: 0, changed: 0, unanswered: 0 }
  const waiting: { readonly count: number; readonly resolve: () => void }[] = []
  let count = 0
  let isOver = false
  const post = (id: string) =>
    send(url, `POST ${connector}/ONCE.v1`, {
      agent,
      headers: { ...basic('CLIENT'), 'idempotency-key': id, 'content-type': 'text/plain' },
      body: id,
      signal: AbortSignal.timeout(patience),
    }).catch(() => undefined)
  const untilAnswered = async (id: string) => {
    const end = performance.now() + patience
    while (performance.now() < end) {
      const answer = await post(id)
      if (answer?.status === 200) return answer
      tally.repeated += 1
      await sleep(50)
    }
    return undefined
  }
  const next = async () => {
    const id = `${prefix}${(count += 1)}`
    const answer = await untilAnswered(id)
    if (!answer) return void (tally.unanswered += 1)
    ids.push(id)
    tally.answered += 1
    if (answer.headers['ig-idempotent-replay'] === 'true') tally.replayed += 1
    for (const { count, resolve } of waiting) if (tally.answered >= count) resolve()
    if (count % 10 > 0) return
    const again = await untilAnswered(id)
    if (!again) tally.unanswered += 1
    else if (again.text !== answer.text) tally.changed += 1
  }
  const calling = Array.from({ length: clients }, async () => {
    while (!isOver) await next()
  })
  return {
    /** Until so many more are answered. */
    answered(more: number): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push({ count: tally.answered + more, resolve })
      return promise
    },
    async stop() {
      isOver = true
      await Promise.all(calling)
      agent.destroy()
      return { ids, ...tally }
    },
  }
}
