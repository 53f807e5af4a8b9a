/** Guessing passwords: what is delayed, what never is, and how many are verified (specification 3.24 to 3.26). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkOf } from '../../src/base/network.ts'
import { openBoundedWork } from '../../src/verification/bounded-work.ts'
import { openLoginThrottle } from '../../src/verification/login-throttle.ts'
import { basic, openAuthentication } from '../support/authentication.ts'

const wrong = new Error('wrong')
const away = new Error('the store is away')
const doubled = [200, 400, 800, 1600, 3200, 6400, 12_800, 25_600]

function open(maxDelay = 30_000) {
  const clock = { time: 0 }
  const throttle = openLoginThrottle({ maxDelay, isWrong: (error) => error === wrong, now: () => clock.time })
  const attempt = (address: string, name: string, outcome: unknown) =>
    throttle.attempt({ address, name }, async () => {
      if (outcome instanceof Error) throw outcome
      return outcome
    })
  /** Milliseconds for which the answer waits; undefined for a right password. */
  const delay = async (address: string, name = 'KIM', outcome: unknown = wrong) => {
    const result = await attempt(address, name, outcome)
    return 'until' in result ? Math.max(0, result.until - clock.time) : undefined
  }
  return { clock, throttle, attempt, delay }
}

test('3.25 from the fifth wrong password of a name and network on, the response is delayed, twice as long each time, up to the limit', async () => {
  const { delay, clock } = open()
  const delays: unknown[] = []
  for (let n = 0; n < 14; n++) delays.push(await delay('192.0.2.1'))
  assert.deepEqual(delays, [0, 0, 0, 0, ...doubled, 30_000, 30_000])
  assert.equal(await delay('198.51.100.1'), 0, 'another network')
  assert.equal(await delay('192.0.2.1', 'LEE'), 0, 'another name')
  assert.equal(await delay('192.0.2.1', 'KIM', away), 0, 'what was not looked up is no guess')
  assert.equal(await delay('192.0.2.1', 'KIM', 'right'), undefined)
  assert.equal(await delay('192.0.2.1'), 30_000, 'a right one helps no one who guesses beside it')
  clock.time += 15 * 60_000
  assert.equal(await delay('192.0.2.1'), 0, 'a quarter of an hour later')
})

test('3.26 from the twentieth wrong password of a network on, whatever the names, the response is delayed, twice as long each time', async () => {
  const { delay, clock } = open()
  let names = 0
  const spray = (address = '192.0.2.1') => delay(address, `name ${names++}`)
  const delays: unknown[] = []
  for (let n = 0; n < 29; n++) delays.push(await spray())
  assert.deepEqual(delays, [...Array(19).fill(0), ...doubled, 30_000, 30_000])
  assert.equal(await delay('192.0.2.1', 'KIM', 'right'), undefined)
  assert.equal(await spray('198.51.100.1'), 0, 'another network')
  clock.time += 15 * 60_000
  assert.equal(await spray(), 0)
})

test('3.24, 3.25 the first 24 bits of IPv4, the first 48 of IPv6 and all of loopback are networks', async () => {
  const alike = [
    ['127.0.0.1', '127.9.8.7', '::1', '::ffff:127.0.0.1'],
    ['10.1.2.3', '::ffff:10.1.2.3', '10.1.2.255'],
    ['2001:db8:7:1::1', '2001:db8:7:ffff:5:6:7:8', '2001:db8:7::7:8'],
  ]
  for (const addresses of alike) assert.equal(new Set(addresses.map(networkOf)).size, 1, addresses.join())
  assert.equal(new Set(['10.1.2.3', '10.1.3.3', '2001:db8:7::1', '2001:db8:8::1', '127.0.0.1'].map(networkOf)).size, 5)
  const { delay } = open()
  for (let n = 0; n < 4; n++) assert.equal(await delay(`2001:db8:7:${n}::1`), 0)
  assert.equal(await delay('2001:db8:7:ffff::1'), 200)
})

test('3.25 a wrong password is answered before its delay ends if its client disconnects or the gateway stops, a right one at once', async () => {
  const { throttle, attempt } = open(3_600_000)
  for (let n = 0; n < 25; n++) await attempt('192.0.2.1', 'KIM', wrong)
  const client = new AbortController()
  const ended: string[] = []
  const answer = async (title: string, signal?: AbortSignal) => {
    await assert.rejects(throttle.answerAfterDelay(await attempt('192.0.2.1', 'KIM', wrong), signal), wrong)
    ended.push(title)
  }
  const [leaving, staying] = [answer('left', client.signal), answer('stopped')]
  assert.equal(await throttle.answerAfterDelay(await attempt('192.0.2.1', 'KIM', 'right')), 'right')
  assert.deepEqual(ended, [])
  client.abort()
  await leaving
  throttle.endDelays()
  await staying
  await answer('after the stop')
  assert.deepEqual(ended, ['left', 'stopped', 'after the stop'])
})

test('3.25 ten thousand names and networks are counted, however long their names are; those of right or unverified passwords displace none', async () => {
  const { delay } = open()
  for (let n = 0; n < 5; n++) await delay('192.0.2.1')
  for (let n = 0; n < 9_000; n++) await delay(`10.${n >> 8}.${n & 255}.1`, `${n}${'x'.repeat(100)}`)
  for (let n = 0; n < 2_000; n++) await delay('192.0.2.3', `unverified ${n}`, n % 2 === 0 ? away : 'right')
  assert.equal(await delay('192.0.2.1'), 400)
  for (let n = 0; n < 10_000; n++) await delay(`11.${n >> 8}.${n & 255}.1`, `other ${n}`)
  assert.equal(await delay('192.0.2.1'), 0, 'was forgotten')
})

function openQueue({ concurrency = 1, maxWaiting = 8 } = {}) {
  const inTurn = openBoundedWork({ concurrency, maxWaiting, full: 'All places are taken.' })
  const done: string[] = []
  const left = new Set<string>()
  const { promise: blocked, resolve: unblock } = Promise.withResolvers<void>()
  const first = inTurn(() => blocked)
  const ask = (address: string, title: string) =>
    inTurn(async () => void done.push(title), { address, hasLeft: () => left.has(title) }).catch(
      ({ code, message }) => void done.push(`${title} ${code}: ${message}`),
    )
  return {
    done,
    left,
    ask,
    async end(all: readonly Promise<void>[]) {
      unblock()
      await Promise.all([first, ...all])
    },
  }
}

test('3.24 passwords are verified in the order in which they came; of those that wait one network has at most a quarter, and what finds no place is refused', async () => {
  const { done, ask, end } = openQueue()
  const all = [1, 2, 3].map((n) => ask('192.0.2.1', `guess ${n}`))
  for (const n of [2, 3, 4, 5, 6, 7, 8]) all.push(ask(`198.51.${n}.1`, `from ${n}`))
  await end(all)
  assert.deepEqual(done, [
    'guess 3 overloaded: All places are taken.',
    'from 8 overloaded: All places are taken.',
    'guess 1',
    'guess 2',
    ...[2, 3, 4, 5, 6, 7].map((n) => `from ${n}`),
  ])
})

test('3.24 a password whose client has disconnected is not verified, unless another waits for the same', async () => {
  const { done, left, ask, end } = openQueue()
  const all = [ask('192.0.2.1', 'leaving'), ask('192.0.2.1', 'staying')]
  left.add('leaving')
  await end(all)
  assert.deepEqual(new Set(done), new Set(['leaving overloaded: The client left before its turn.', 'staying']))

  const it = await openAuthentication()
  const client = new AbortController()
  const [verification, right] = ['Basic', basic('DEMO2')] as const
  const before = Array.from({ length: 3 }, (_, n) => it.who(basic('DEMO', `guess ${n}`), { verification }))
  const alone = it.who(basic('DEMO'), { verification, signal: client.signal })
  const shared = it.who(right, { verification, signal: client.signal })
  const staying = it.who(right, { verification })
  client.abort()
  assert.deepEqual([await alone, await shared, await staying], ['overloaded', 'DEMO2', 'DEMO2'])
  await Promise.all(before)
})

test("3.25 while an operator's password is guessed, cached credentials and a correct new password are answered at once, from that network and others", async () => {
  const it = await openAuthentication({ basic: { maxDelay: 3_600_000 } })
  const from = (remoteAddress: string, signal?: AbortSignal) =>
    ({ verification: 'Basic', remoteAddress, ...(signal && { signal }) }) as const
  assert.equal(await it.who(basic('DEMO'), from('192.0.2.1')), 'DEMO')
  const client = new AbortController()
  const answers: string[] = []
  const guesses = Array.from({ length: 60 }, async (_, n) => {
    answers.push(await it.who(basic('DEMO2', `guess ${n}`), from('192.0.2.1', client.signal)))
  })
  assert.equal(await it.who(basic('DEMO'), from('192.0.2.1')), 'DEMO')
  assert.equal(await it.who(basic('DEMO2'), from('198.51.100.2')), 'DEMO2')
  it.change('DEMO2', { description: 'changed: no longer remembered' })
  assert.equal(await it.who(basic('DEMO2'), from('192.0.2.1')), 'DEMO2')
  client.abort()
  await Promise.all(guesses)
  assert.ok(answers.includes('basicRejected'))
  assert.ok(!answers.includes('DEMO2'))
})
