/** How exactly processes hold a limit together (specification 25.7): the clock, the calls and the database's delay are the test's. */
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { compileLimits } from '../../../src/configuration/compile-limits.ts'
import { limit } from '../../../src/configuration/limit-schema.ts'
import { exchangeLimits } from '../../../src/features/limits/exchange.ts'
import { CallLimits } from '../../../src/features/limits/limits.ts'
import type { LimitStore } from '../../../src/features/limits/rows.ts'

/** Calls a second. */
const rate = 100
const seconds = 10
const [ofAll] = compileLimits([limit.parse({ name: 'all', calls: rate, per: '1s' })]).byName.values()

interface Load {
  readonly seed: number
  /** Calls a second, at random. */
  readonly offered: number
  readonly processes: number
  /** The process of a call, by a random number up to 1. */
  readonly choose: (random: number, time: number) => number
  /** Milliseconds that the database takes at most. */
  readonly delay: number
}

/** @returns of each period of ten seconds, from one second to the next, how much of the limit was accepted */
async function accept({ seed, offered, processes, choose, delay }: Load): Promise<readonly number[]> {
  const random = generate(seed)
  let time = 0
  let full = 0
  const databaseTime = () => time + 60_000
  const pause = () => new Promise<void>((resolve) => void setTimeout(resolve, (1 + random() * delay) / 2))
  const exchange: LimitStore['exchange'] = async (spent) => {
    await pause()
    const clock = databaseTime()
    const all = spent.map(({ spent, age }) => {
      full = Math.max(full, clock - age) + spent
      return full - clock
    })
    await pause()
    return all
  }
  const store = { exchange, prune: async () => {} } as Pick<LimitStore, 'exchange' | 'prune'> as LimitStore
  mock.timers.enable({ apis: ['setTimeout'] })
  const opened = Array.from({ length: processes }, () => {
    const limits = new CallLimits({ observe() {}, now: () => time })
    return { limits, ...exchangeLimits({ limits, store, observe() {} }) }
  })
  const accepted: number[] = []
  for (; time < 3 * seconds * 1000; time += 1) {
    for (let left = random(); left < offered / 1000; left += random() * 2) {
      const { limits } = opened[choose(random(), time)] as { limits: CallLimits }
      if (isAccepted(limits)) accepted.push(time)
    }
    mock.timers.tick(1)
    await settle()
  }
  mock.timers.reset()
  return Array.from({ length: 2 * seconds }, (_, begin) => {
    const within = accepted.filter((at) => at >= begin * 1000 && at < (begin + seconds) * 1000)
    return within.length / (rate * seconds)
  })
}

/** All that promises have to do at this time. */
function settle(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve))
}

function isAccepted(limits: CallLimits): boolean {
  try {
    const caller = { operationId: 'X', address: '192.0.2.1', operatorId: 'DEMO' }
    limits.admit(ofAll ? [ofAll] : [], caller, [])
    return true
  } catch {
    return false
  }
}

/** Numbers up to 1, the same for the same seed. */
function generate(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const loads = {
  'spread over six processes': { processes: 6, choose: (random: number) => Math.floor(random * 6) },
  'on one connection': { processes: 6, choose: () => 3 },
  'on one connection after the other': {
    processes: 6,
    choose: (_: number, time: number) => Math.floor(time / 1_500) % 6,
  },
  'mostly in one process': { processes: 6, choose: (random: number) => Math.max(0, Math.floor(random * 12) - 6) },
  'spread over forty processes': { processes: 40, choose: (random: number) => Math.floor(random * 40) },
}

for (const [name, load] of Object.entries(loads)) {
  for (const delay of [5, 100]) {
    test(`25.7 0.9 to 1.1 of a limit are accepted in any 10 seconds: calls ${name}, the database takes up to ${delay} ms`, async () => {
      for (const seed of [1, 2, 3]) {
        const shares = await accept({ ...load, seed, offered: 4 * rate, delay })
        const [least, most] = [Math.min(...shares), Math.max(...shares)]
        assert.ok(least >= 0.9 && most <= 1.1, `seed ${seed}: ${least} to ${most}`)
      }
    })
  }
}
