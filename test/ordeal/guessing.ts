/**
 * Passwords are guessed on many connections: one operator's, or those of many ids; from one network, or from as many as
 * connections; also by guessers who do not wait for the answer. Known credentials and right passwords from elsewhere get in all
 * the same (specification 3.24 to 3.26).
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from '../../src/store/open-store.ts'
import { hashPassword } from '../../src/verification/password.ts'
import { type Guessers, guessedNetwork } from './guessers.ts'
import { connector, openProject } from './instance.ts'
import type { Ordeal, Tally } from './ordeal.ts'

interface Size {
  readonly connections: number
  readonly seconds: number
}

const sprayed = 1000
const kinds: readonly Pick<Guessers, 'ids' | 'isSpread' | 'isImpatient'>[] = [
  { ids: 1 },
  { ids: sprayed },
  { ids: 1, isSpread: true },
  { ids: 1, isImpatient: true },
  { ids: sprayed, isImpatient: true },
]
const password = 'right from the start'
/** Where no one guesses. */
const elsewhere = '127.250.0.1'

export function openGuessing({ connections, seconds }: Size): Ordeal {
  return {
    name: 'guessing',
    title: `${connections} connections guess for ${seconds} s: one operator or ${sprayed} ids, from one network or many, also without waiting`,
    figure: 'known credentials p99 < 20 ms; a right new password from elsewhere ≤ 2 s, never refused; no lock-out',
    trials: 2 * kinds.length,
    async open() {
      const project = await openProject('SQLite')
      const store = await openStore(project.url)
      const passwordHash = await hashPassword(password)
      for (const id of ['KNOWN', 'GUESSED', 'OTHER'])
        await store.operators.add({ id, passwordHash, permissionLists: ['ALL'] })
      await store.close()
      const preload = new URL('../support/networks.mjs', import.meta.url).href
      return {
        async trial(index) {
          const instance = await project.start({ workers: 1, env: { NODE_OPTIONS: `--import=${preload}` } })
          try {
            const kind = kinds[index % kinds.length] ?? { ids: 1 }
            return await trial({ ...kind, url: `${instance.url}${connector}/READ.v1/`, connections }, seconds)
          } finally {
            process.kill(instance.pid, 'SIGTERM')
            await instance.ended
          }
        },
        close: () => project.close(),
      }
    },
    judge: ({
      maxKnownP99 = 0,
      maxElsewhere = 0,
      lockedOut = 0,
      known = 0,
      there = 0,
      guesses = 0,
      maxConnected = 0,
      undelayed = 0,
      took = 0,
    }) => [
      ...(maxKnownP99 >= 20 ? [`the p99 of known credentials was ${maxKnownP99} ms`] : []),
      ...(maxElsewhere > 2000 ? [`a right new password from elsewhere took ${maxElsewhere} ms`] : []),
      ...(lockedOut > 0 ? [`${lockedOut} right passwords were refused`] : []),
      ...(took > 0 ? [`${took} guesses were taken for right`] : []),
      ...(known === 0 || there === 0 ? ['no one else called'] : []),
      ...(guesses === 0 || maxConnected < connections ? [`only ${maxConnected} connections guessed`] : []),
      ...(undelayed > 0 ? [`${undelayed} wrong passwords were answered too early`] : []),
    ],
  }
}

export const guessing = openGuessing({ connections: 180, seconds: 60 })

async function trial(guessers: Guessers, seconds: number): Promise<Tally> {
  const { url } = guessers
  const known = callAs('KNOWN', url, guessedNetwork)
  if ((await known.call()).status !== 200) throw new Error('The operator that is to be known cannot sign in')
  const attackers = fork(join(import.meta.dirname, 'guessers.ts'), { execArgv: process.execArgv })
  const stop = new AbortController()
  try {
    const from = performance.now()
    attackers.send(guessers)
    const begun = once(attackers, 'message')
    // From the first moment on, and while the crowd comes: that is when most of it waits
    const measuring = [
      repeat(() => known.call(), 10, stop.signal),
      repeat(() => callAnew('GUESSED', url, elsewhere), 250, stop.signal),
      repeat(() => callAnew('GUESSED', url, guessedNetwork), 250, stop.signal),
      repeat(() => callAnew('OTHER', url, guessedNetwork), 250, stop.signal),
    ] as const
    await begun
    await sleep(seconds * 1000)
    stop.abort()
    const [times, away, there, other] = await Promise.all(measuring)
    attackers.send('end')
    const [{ guesses, took, maxConnected }] = (await once(attackers, 'message')) as [Readonly<Record<string, number>>]
    const allowed = maxAnswered(guessers, (performance.now() - from) / 1000)
    const local = [there, other]
    return {
      known: times.length,
      there: there.length,
      guesses: guesses ?? 0,
      took: took ?? 0,
      maxConnected: maxConnected ?? 0,
      // From there a new one may find the places of its network taken
      lockedOut: [...times, ...away].filter(({ status }) => status !== 200).length + refusedAsWrong(local.flat()),
      maxKnownP99: at(times, 0.99),
      maxElsewhere: at(away, 1),
      undelayed: Math.max(0, (guesses ?? 0) - allowed),
    }
  } finally {
    stop.abort()
    known.close()
    attackers.kill('SIGKILL')
  }
}

/**
 * How many wrong ones can be answered in that time where each waits as long as it should: the first ones at once, those of the
 * doubling delays, and of each connection one in thirty seconds.
 */
function maxAnswered({ connections, ids, isSpread }: Guessers, seconds: number): number {
  const doubling = 8
  const waited = connections * Math.floor(seconds / 30)
  if (isSpread) return connections * (4 + doubling) + waited
  return waited + doubling + (ids === 1 ? 4 : 19)
}

function refusedAsWrong(answers: readonly Attempt[]): number {
  return answers.filter(({ status }) => status !== 200 && status !== 503).length
}

interface Attempt {
  readonly status: number
  readonly took: number
}

function at(answers: readonly Attempt[], share: number): number {
  const times = answers.map(({ took }) => took).sort((one, other) => one - other)
  return Math.round(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0)
}

async function repeat(call: () => Promise<Attempt>, pause: number, signal: AbortSignal): Promise<readonly Attempt[]> {
  const answers: Attempt[] = []
  while (!signal.aborted) {
    answers.push(await call())
    await sleep(pause)
  }
  return answers
}

/** With credentials that are remembered from the second call on. */
function callAs(id: string, url: string, localAddress: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, localAddress })
  const authorization = `Basic ${Buffer.from(`${id}:${password}`).toString('base64')}`
  return { call: () => send(url, authorization, { agent }), close: () => agent.destroy() }
}

let spellings = 0

/** A right password that the gateway has not seen: each spelling of the scheme is another credential to it. */
function callAnew(id: string, url: string, localAddress: string): Promise<Attempt> {
  spellings += 1
  const scheme = Array.from('basic', (letter, bit) => (spellings & (1 << bit) ? letter.toUpperCase() : letter)).join('')
  const spaces = ' '.repeat(1 + (spellings >> 5))
  const authorization = `${scheme}${spaces}${Buffer.from(`${id}:${password}`).toString('base64')}`
  return send(url, authorization, { agent: false, localAddress })
}

function send(url: string, authorization: string, options: object): Promise<Attempt> {
  const begun = performance.now()
  return new Promise((resolve) => {
    const end = (status: number) => resolve({ status, took: performance.now() - begun })
    request(url, { ...options, headers: { authorization } }, (response) => {
      response.on('end', () => end(response.statusCode ?? 0)).resume()
    })
      .on('error', () => end(0))
      .end()
  })
}
