/** Guessing passwords: what is delayed, what never is, and what it costs others (specification 3.8, 3.24 to 3.26). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkOf, siteOf } from '../../src/base/network.ts'
import { openBoundedWork } from '../../src/steps/credentials/bounded-work.ts'
import { type GuessOptions, openGuesses } from '../../src/steps/credentials/guesses.ts'
import { basic, openAuthentication } from '../support/authentication.ts'

const wrong = new Error('wrong')
const away = new Error('the store is away')

function open(options: Partial<GuessOptions> = {}) {
  const clock = { time: 0 }
  const guesses = openGuesses({
    isWrong: (error) => error === wrong,
    full: (seconds) => new Error(`full for ${seconds} s`),
    now: () => clock.time,
    ...options,
  })
  const judge = (address: string, name: string, outcome: unknown) =>
    guesses.judge({ address, name }, async () => {
      if (outcome instanceof Error) throw outcome
      return outcome
    })
  /** Milliseconds for which the answer waits. */
  const delay = async (address: string, name = 'KIM', outcome: unknown = wrong) => {
    const verdict = await judge(address, name, outcome)
    return 'until' in verdict ? Math.max(0, verdict.until - clock.time) : undefined
  }
  return { clock, guesses, judge, delay }
}

test('3.25 from the fifth wrong password of a name and network on, the response is delayed, twice as long each time, up to the limit', async () => {
  const { delay, clock } = open()
  const delays: unknown[] = []
  for (let n = 0; n < 16; n++) delays.push(await delay('192.0.2.1'))
  const doubled = [100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600]
  assert.deepEqual(delays, [0, 0, 0, 0, ...doubled, 30_000, 30_000, 30_000])
  assert.equal(await delay('192.0.2.2'), 0, 'another network')
  assert.equal(await delay('192.0.2.1', 'LEE'), 0, 'another name')
  assert.equal(await delay('192.0.2.1', 'KIM', away), 0, 'what was not looked up is no guess')
  assert.equal(await delay('192.0.2.1', 'KIM', 'right'), undefined)
  assert.equal(await delay('192.0.2.1'), 30_000, 'a right one helps no one who guesses beside it')
  clock.time += 15 * 60_000
  assert.equal(await delay('192.0.2.1'), 0, 'a quarter of an hour later')
})

test('3.25 a guesser who does not wait for the response gets no more guesses: without a free place, they become free one at a time', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { delay, clock } = open({ places: 3 })
  const pass = async (time: number) => {
    clock.time += time
    t.mock.timers.tick(time)
    await new Promise(setImmediate)
  }
  for (let n = 0; n < 4 + 9; n++) {
    await delay('192.0.2.1')
    await pass(25_600)
  }
  await pass(30_000)
  for (let n = 0; n < 3; n++) assert.equal(await delay('192.0.2.1'), 30_000)
  const verified: string[] = []
  const waiting = ['wrong', 'right', 'right too'].map(async (title) => {
    await delay('192.0.2.1', 'KIM', title === 'wrong' ? wrong : title)
    verified.push(title)
  })
  assert.equal(await delay('192.0.2.1', 'LEE'), 0)
  assert.equal(await delay('192.0.2.9', 'KIM', 'right'), undefined, 'from elsewhere')
  await pass(9999)
  assert.deepEqual(verified, [])
  await pass(1)
  assert.deepEqual(verified, ['wrong'])
  await pass(9999)
  assert.deepEqual(verified, ['wrong'])
  await pass(1)
  assert.deepEqual(verified, ['wrong', 'right', 'right too'], 'a right one takes no place')
  await Promise.all(waiting)
})

test('3.25 a correct password is answered at once while wrong ones are delayed, which end when their client disconnects or the gateway stops', async () => {
  const { guesses, judge } = open({ waiting: 2, maxDelay: 3_600_000 })
  for (let n = 0; n < 25; n++) await judge('192.0.2.1', 'KIM', wrong)
  const client = new AbortController()
  const ended: string[] = []
  const answer = async (title: string, signal?: AbortSignal) => {
    await assert.rejects(guesses.answer(await judge('192.0.2.1', 'KIM', wrong), signal), wrong)
    ended.push(title)
  }
  const [leaving, staying] = [answer('left', client.signal), answer('stopped')]
  await answer('one more than may wait')
  assert.equal(await guesses.answer(await judge('192.0.2.1', 'KIM', 'right')), 'right')
  assert.deepEqual(ended, ['one more than may wait'])
  client.abort()
  await leaving
  guesses.release()
  await staying
  await answer('after the stop')
  assert.deepEqual(ended, ['one more than may wait', 'left', 'stopped', 'after the stop'])
})

test('3.25 the number of counted names and networks is bounded, however long and many they are', async () => {
  const { delay } = open({ counted: 100 })
  for (let n = 0; n < 5; n++) await delay('192.0.2.1')
  for (let n = 0; n < 30; n++) await delay('192.0.2.2', `${n}${'x'.repeat(10_000)}`)
  assert.equal(await delay('192.0.2.1'), 200)
  for (let n = 0; n < 200; n++) await delay('192.0.2.2', `other ${n}`)
  assert.equal(await delay('192.0.2.1'), 0, 'was forgotten')
})

test('3.25 passwords that are refused unverified, or are correct, displace no wrong one from the table', async () => {
  const { delay, judge } = open({ counted: 20 })
  for (let n = 0; n < 9; n++) await delay('192.0.2.1')
  for (let n = 0; n < 100; n++) await delay('192.0.2.1', `unverified ${n}`, away)
  for (let n = 0; n < 100; n++) await delay('192.0.2.1', `right ${n}`, 'right')
  const waiting = Array.from({ length: 100 }, (_, n) => judge('192.0.2.1', `at once ${n}`, away))
  assert.equal(await delay('192.0.2.1'), 3200)
  await Promise.all(waiting)
})

test('3.25 with as many verifications as places, the end of one admits the next; shutdown refuses those that wait', async () => {
  const { guesses, judge } = open({ places: 2 })
  const verifying = Array.from({ length: 2 }, () => Promise.withResolvers<void>())
  const both = verifying.map(({ promise }) => guesses.judge({ address: '192.0.2.1', name: 'KIM' }, () => promise))
  const next = judge('192.0.2.1', 'KIM', 'right')
  verifying[0]?.resolve()
  assert.deepEqual(await next, { result: 'right' })
  const third = guesses.judge({ address: '192.0.2.1', name: 'KIM' }, () => new Promise(() => {}))
  const last = judge('192.0.2.1', 'KIM', 'right')
  guesses.release()
  await assert.rejects(last, { message: 'full for 1 s' })
  verifying[1]?.resolve()
  await Promise.all(both)
  await Promise.race([third, judge('192.0.2.1', 'KIM', 'right')])
})

test('3.25 fifty wrong ones from many networks of a /48 make it one network, even if none of them is delayed', async () => {
  const { delay } = open()
  for (let n = 0; n < 50; n++) assert.equal(await delay(`2001:db8:7:${(n % 25) + 1}::1`), 0)
  assert.equal(await delay('2001:db8:7:ffff::1'), 200)
  assert.equal(await delay('2001:db8:7:1::1'), 400)
  assert.equal(await delay('2001:db8:7:ffff::1', 'LEE'), 0)
})

test('3.25 IPv6 counts by its first 64 bits, loopback is one network, and ten delayed networks of a /48 make it one', async () => {
  const alike = [
    ['127.0.0.1', '127.9.8.7', '::1', '::ffff:127.0.0.1'],
    ['10.1.2.3', '::ffff:10.1.2.3'],
    ['2001:db8::1', '2001:db8:0:0:5:6:7:8', '2001:db8::7:8'],
    ['fe80::1', 'fe80::abcd:1'],
  ]
  for (const addresses of alike) assert.equal(new Set(addresses.map(networkOf)).size, 1, addresses.join())
  assert.equal(new Set(['10.1.2.3', '10.1.2.4', '2001:db8::1', '2001:db8:0:1::1', '127.0.0.1'].map(networkOf)).size, 5)
  assert.equal(siteOf('2001:db8:7:1::1'), siteOf('2001:db8:7:ffff::2'))
  assert.notEqual(siteOf('2001:db8:7::1'), siteOf('2001:db8:8::1'))

  const { delay } = open()
  for (let network = 1; network <= 9; network++) for (let n = 0; n < 5; n++) await delay(`2001:db8:7:${network}::1`)
  for (let n = 0; n < 5; n++) assert.equal(await delay('2001:db8:7:a::1'), n < 4 ? 0 : 100)
  assert.deepEqual([await delay('2001:db8:7:b::1'), await delay('2001:db8:7:c::1')], [200, 400])
  assert.equal(await delay('2001:db8:7:d::1', 'LEE'), 0)
  assert.equal(await delay('2001:db8:8:d::1'), 0)
})

test('3.26 from the twentieth wrong password of a network on, whatever the names, the response is delayed, twice as long each time; one is forgotten every ten seconds', async () => {
  const { delay, clock } = open()
  let names = 0
  const spray = (address = '192.0.2.1') => delay(address, `name ${names++}`)
  const delays: unknown[] = []
  for (let n = 0; n < 30; n++) delays.push(await spray())
  const doubled = [100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600]
  assert.deepEqual(delays, [...Array(19).fill(0), ...doubled, 30_000, 30_000])
  assert.equal(await delay('192.0.2.1', 'KIM', 'right'), undefined)
  assert.equal(await spray('192.0.2.2'), 0, 'another network')
  for (let n = 0; n < 100; n++) await spray()
  clock.time += 130_000
  assert.equal(await spray(), 25_600, 'of many no more than forty count')
  clock.time += 60_000
  assert.equal(await spray(), 800)
  clock.time += 60_000
  assert.equal(await spray(), 0)
  clock.time += 120_000
  for (let n = 0; n < 100; n++) {
    clock.time += 10_000
    assert.equal(await spray(), 0, 'behind a proxy: now and then one that is wrong')
  }
})

test('3.26 networks of the same 48 bits count as one after two hundred wrong ones of all names', async () => {
  const { delay } = open()
  let names = 0
  for (let n = 0; n < 200; n++) assert.equal(await delay(`2001:db8:7:${(n % 100) + 1}::1`, `name ${names++}`), 0)
  assert.equal(await delay('2001:db8:7:ffff::1', `name ${names++}`), 200)
  assert.equal(await delay('2001:db8:8::1', `name ${names++}`), 0)
})

test('3.26 wrong passwords for other names take no places of a name', async () => {
  const { delay } = open({ places: 3 })
  for (let n = 0; n < 40; n++) await delay('192.0.2.1', `name ${n}`)
  for (let n = 0; n < 4; n++) assert.equal(await delay('192.0.2.1'), 30_000)
  assert.equal(await delay('192.0.2.1', 'KIM', 'right'), undefined)
})

test('3.26 a guesser at many names on 180 connections who waits for the responses leaves the queue free for others', async () => {
  const { guesses, clock } = open()
  const inTurn = openBoundedWork({ concurrency: 1, maxWaiting: 200, full: 'full' })
  const events: (readonly [time: number, go: () => void])[] = []
  const pass = (time: number) => new Promise<void>((go) => events.push([clock.time + time, go]))
  let verified = 0
  const ask = (name: string, outcome: unknown) => {
    const guess = { address: '192.0.2.1', name }
    const rank = guesses.rankOf(guess)
    return guesses.judge(guess, () =>
      inTurn(rank, async () => {
        verified += 1
        await pass(8)
        if (outcome instanceof Error) throw outcome
        return outcome
      }),
    )
  }
  for (let connection = 0; connection < 180; connection++)
    void (async () => {
      for (let turn = 0; ; turn++) {
        const verdict = await ask(`name ${(connection + turn * 180) % 1000}`, wrong)
        if ('until' in verdict) await pass(Math.max(0, verdict.until - clock.time))
      }
    })()
  /** Until another event is due after that time. */
  const passUntil = async (time: number) => {
    for (;;) {
      await new Promise(setImmediate)
      const [next] = events.sort(([one], [other]) => one - other)
      if (!next || next[0] > time) return
      clock.time = next[0]
      events.shift()
      next[1]()
    }
  }
  await passUntil(5000)
  const inBurst = verified
  assert.ok(inBurst >= 180 && inBurst < 220, `${inBurst} were verified at first`)
  for (let newcomer = 1; newcomer <= 40; newcomer++) {
    const before = verified
    let turn = Number.POSITIVE_INFINITY
    void ask(`name ${newcomer}`, 'right').then(() => {
      turn = verified - before
    })
    await passUntil(5000 + newcomer * 1000)
    assert.ok(turn <= 3, `newcomer ${newcomer} was verified as number ${turn}`)
  }
  assert.ok(verified - inBurst < 40 + 300, `${verified - inBurst} were verified in 40 s`)
})

test('3.24 sites with the fewest wrong passwords come first, then the newest password; every second turn goes to the one that has waited longest', async () => {
  const inTurn = openBoundedWork({ concurrency: 1, maxWaiting: 5, full: 'Five are waiting.' })
  const done: string[] = []
  const { promise: blocked, resolve: unblock } = Promise.withResolvers<void>()
  const first = inTurn(
    () => 0,
    () => blocked,
  )
  const ask = (rank: number, title: string) =>
    inTurn(
      () => rank,
      async () => void done.push(title),
    ).catch(({ code }) => done.push(`${title} ${code}`))
  const all = [
    ask(9, 'guesser 1'),
    ask(9, 'guesser 2'),
    ask(9, 'guesser 3'),
    ask(0, 'newcomer 1'),
    ask(0, 'newcomer 2'),
  ]
  all.push(ask(9, 'guesser 4'), ask(0, 'newcomer 3'))
  unblock()
  await Promise.all([first, ...all])
  assert.deepEqual(done, [
    'guesser 1 overloaded',
    'guesser 2 overloaded',
    'newcomer 3',
    'guesser 3',
    'newcomer 2',
    'newcomer 1',
    'guesser 4',
  ])
})

test('3.24 in a full queue passwords whose client has disconnected are dropped before any other is refused', async () => {
  const inTurn = openBoundedWork({ concurrency: 1, maxWaiting: 3, full: 'Three are waiting.' })
  const done: string[] = []
  const { promise: blocked, resolve: unblock } = Promise.withResolvers<void>()
  const gone = new Set<string>()
  const ask = (rank: number, title: string) =>
    inTurn(
      () => rank,
      async () => void done.push(title),
      () => (gone.has(title) ? 'left' : 'present'),
    ).catch(({ message }) => done.push(`${title}: ${message}`))
  const all = [
    inTurn(
      () => 0,
      () => blocked,
    ),
    ask(9, 'staying'),
    ask(0, 'leaving 1'),
    ask(0, 'leaving 2'),
  ]
  gone.add('leaving 1').add('leaving 2')
  all.push(ask(0, 'newcomer 1'), ask(0, 'newcomer 2'), ask(0, 'newcomer 3'))
  unblock()
  await Promise.all(all)
  const left = 'The client left before its turn.'
  assert.deepEqual(done, [
    `leaving 1: ${left}`,
    `leaving 2: ${left}`,
    'staying: Three are waiting.',
    'newcomer 3',
    'newcomer 1',
    'newcomer 2',
  ])
})

test('3.24 a password whose client has disconnected is not verified, unless another waits for the same', async () => {
  const it = await openAuthentication()
  const client = new AbortController()
  const [verification, right] = ['Basic', basic('DEMO2')] as const
  const before = Array.from({ length: 3 }, (_, n) => it.who(basic('DEMO', `guess ${n}`), { verification }))
  const left = it.who(basic('DEMO'), { verification, signal: client.signal })
  const shared = it.who(right, { verification, signal: client.signal })
  const staying = it.who(right, { verification })
  client.abort()
  assert.deepEqual([await left, await shared, await staying], ['overloaded', 'DEMO2', 'DEMO2'])
  await Promise.all(before)
})

test('3.24 in a full queue a half-closed client is refused first, unless another waits for the same; with room it is answered', async () => {
  const it = await openAuthentication({ basic: { maxWaiting: 5 } })
  const here = { verification: 'Basic' } as const
  const half = { ...here, isHalfClosed: true }
  assert.equal(await it.who(basic('DEMO'), half), 'DEMO')
  it.change('DEMO', { description: 'changed: no longer remembered' })
  const guess = (n: number) => it.who(basic('GUEST', `guess ${n}`), { ...here, remoteAddress: '192.0.2.9' })
  const guesses = [1, 2, 3, 4].map(guess)
  const refused = it.who(basic('DEMO'), half)
  const both = [half, here].map((client) => it.who(basic('DEMO2'), client))
  guesses.push(...Array.from({ length: 30 }, (_, n) => guess(5 + n)))
  assert.deepEqual(await Promise.all([refused, ...both]), ['overloaded', 'DEMO2', 'DEMO2'])
  await Promise.all(guesses)
})

test('3.24 a guessing site ranks behind others, by its wrong and waiting passwords, and not forever', async () => {
  const { guesses, delay, judge, clock } = open()
  const rankOf = (address: string, name = 'KIM') => guesses.rankOf({ address, name })()
  const stranger = rankOf('2001:db8:7:1::1')
  for (let n = 0; n < 3; n++) await delay(`2001:db8:7:${n}::1`, `name ${n}`)
  const three = rankOf('2001:db8:7:8::1')
  const { promise: verifying, reject } = Promise.withResolvers<void>()
  const underWay = Array.from({ length: 4 }, (_, n) =>
    guesses.judge({ address: '2001:db8:7:9::1', name: `LEE ${n}` }, () => verifying),
  )
  assert.ok(rankOf('2001:db8:7:8::1') > three && three > stranger)
  assert.equal(rankOf('2001:db8:8::1'), stranger)
  reject(away)
  await Promise.all(underWay)
  assert.equal(rankOf('2001:db8:7:8::1'), three)
  for (let n = 0; n < 30; n++) await judge('2001:db8:7:1::1', `other ${n}`, wrong)
  const highest = rankOf('2001:db8:7:8::1')
  for (let n = 0; n < 100; n++) await judge('2001:db8:7:1::1', `more ${n}`, wrong)
  assert.equal(rankOf('2001:db8:7:8::1'), highest)
  clock.time += 400_000
  assert.equal(rankOf('2001:db8:7:8::1'), stranger)
})

test('3.24 a site with a correct password in the last 15 minutes ranks before unknown ones; the number of such sites is bounded', async () => {
  const { guesses, delay, clock } = open({ counted: 10 })
  const rankOf = (address: string) => guesses.rankOf({ address, name: 'KIM' })()
  const stranger = rankOf('192.0.2.9')
  await delay('192.0.2.1', 'LEE', 'right')
  assert.ok(rankOf('192.0.2.1') < stranger)
  await delay('192.0.2.1')
  assert.equal(rankOf('192.0.2.1'), stranger)
  await delay('192.0.2.1', 'LEE', 'right')
  for (let n = 0; n < 9; n++) await delay(`192.0.3.${n}`, 'LEE', 'right')
  assert.equal(rankOf('192.0.2.1'), stranger, 'and one that was wrong')
  await delay('192.0.3.9', 'LEE', 'right')
  assert.ok(rankOf('192.0.2.1') > stranger, 'was forgotten')
  clock.time += 15 * 60_000
  assert.equal(rankOf('192.0.3.9'), stranger)
})

test('3.24 within a site the name with fewer wrong or waiting passwords comes first, but never before another site with fewer', async () => {
  const { guesses, delay } = open()
  for (let n = 0; n < 4; n++) await delay('192.0.2.1', 'KIM')
  const rankOf = (address: string, name: string) => guesses.rankOf({ address, name })()
  const [guessed, other] = [rankOf('192.0.2.1', 'KIM'), rankOf('192.0.2.1', 'LEE')]
  assert.ok(guessed > other && other > rankOf('192.0.2.2', 'KIM'))
  const { promise: verifying, resolve } = Promise.withResolvers<void>()
  const underWay = Array.from({ length: 8 }, () =>
    guesses.judge({ address: '192.0.2.1', name: 'LEE' }, () => verifying),
  )
  assert.ok(rankOf('192.0.2.1', 'LEE') > rankOf('192.0.2.1', 'KIM'))
  resolve()
  await Promise.all(underWay)
})

test('3.24 the order is computed at each turn: of 180 simultaneous passwords none precedes a newcomer from the same site', async () => {
  const { guesses } = open()
  const inTurn = openBoundedWork({ concurrency: 1, maxWaiting: 200, full: 'full' })
  const verified: string[] = []
  const { promise: blocked, resolve: unblock } = Promise.withResolvers<void>()
  const ask = (name: string) => {
    const guess = { address: '192.0.2.1', name }
    const rank = guesses.rankOf(guess)
    return guesses.judge(guess, () => inTurn(rank, async () => void verified.push(name)))
  }
  const first = inTurn(
    () => 0,
    () => blocked,
  )
  const all = Array.from({ length: 180 }, (_, n) => ask(`name ${n}`))
  await new Promise(setImmediate)
  all.push(ask('newcomer'))
  await new Promise(setImmediate)
  unblock()
  await Promise.all([first, ...all])
  assert.ok(verified.indexOf('newcomer') < 2, `it was verified as number ${verified.indexOf('newcomer') + 1}`)
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
  assert.equal(await it.who(basic('DEMO2'), from('192.0.2.2')), 'DEMO2')
  it.change('DEMO2', { description: 'changed: no longer remembered' })
  assert.equal(await it.who(basic('DEMO2'), from('192.0.2.1')), 'DEMO2')
  client.abort()
  await Promise.all(guesses)
  assert.ok(answers.includes('basicRejected'))
  assert.ok(!answers.includes('DEMO2'))
})
