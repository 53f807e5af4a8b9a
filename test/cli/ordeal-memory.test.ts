/** Short forms of the ordeals that attack memory: `npm run ordeal -- container crowd` runs all of them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { container } from '../ordeal/container.ts'
import { openCrowd } from '../ordeal/crowd.ts'
import { type Ordeal, runOrdeal } from '../ordeal/ordeal.ts'

async function holds(ordeal: Ordeal, trials: number, ignore = /^$/): Promise<void> {
  const { done, tally } = await runOrdeal(ordeal, { trials })
  const faults = ordeal.judge(tally, done).filter((fault) => !ignore.test(fault))
  assert.deepEqual(faults, [], JSON.stringify(tally))
}

test('7.8 in a container of 512 MB many simultaneous trees end no process', () => holds(container, 2))

/** How long calls take is judged on a machine that has nothing else to do. */
const times = /p99|longest|late|no crowd/

test('7.8, 7.9 a crowd of slow and idle clients is disconnected, and leaves nothing reserved', () =>
  holds(openCrowd({ heads: 40, bodies: 40, never: 40, idle: 40, size: 20_000_000, limit: 2000 }), 1, times))
