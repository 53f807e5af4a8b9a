/** Guessers who do not wait for the answer: whose password is verified next, and who is refused (specification 3.24, 3.25). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBoundedWork } from '../../src/steps/credentials/bounded-work.ts'
import { openGuesses } from '../../src/steps/credentials/guesses.ts'
import { openPlaces } from '../../src/steps/credentials/places.ts'
import type { Presence } from '../../src/steps/credentials/presence.ts'

/** By default of one place, which is taken. */
function open({ places = 1, maxWaiting = 9 } = {}) {
  const log: string[] = []
  const clock = { time: 0 }
  const presences = new Map<string, Presence>()
  const full = (seconds: number) => new Error(`full for ${seconds} s`)
  const opened = openPlaces({ places, maxDelay: 2000, maxWaiting, full, now: () => clock.time })
  const enter = async (title: string, presence: Presence = 'present') => {
    presences.set(title, presence)
    await opened
      .enter(() => presences.get(title) ?? 'left')
      .then(
        () => log.push(title),
        ({ message }) => log.push(`${title}: ${message}`),
      )
  }
  /** What happened since. */
  const look = async () => {
    await new Promise(setImmediate)
    return log.splice(0)
  }
  return { ...opened, enter, look, presences, clock }
}

test('3.25 a place goes to the client that has waited longest, and to a half-closed one when no other waits', async () => {
  const { enter, leave, look, presences } = open()
  for (const title of ['first', 'second', 'third', 'fourth']) void enter(title)
  void enter('fifth')
  presences.set('second', 'halfClosed').set('fourth', 'left')
  assert.deepEqual(await look(), ['first'])
  leave(0)
  assert.deepEqual(await look(), ['fourth'], 'one that has left is not verified: it ends at once')
  leave(0)
  assert.deepEqual(await look(), ['third'])
  leave(0)
  assert.deepEqual(await look(), ['fifth'])
  leave(0)
  assert.deepEqual(await look(), ['second'])
})

test('3.25 if too many wait for a place, a half-closed client is dropped first, then the newcomer is refused', async () => {
  const { enter, look } = open({ maxWaiting: 2 })
  void enter('verified')
  void enter('here')
  void enter('half', 'halfClosed')
  void enter('newcomer')
  assert.deepEqual(await look(), ['verified', 'half: full for 4 s'])
  void enter('another')
  void enter('another half', 'halfClosed')
  assert.deepEqual(await look(), ['another: full for 4 s', 'another half: full for 4 s'])
})

test('3.25 shutdown refuses those that wait for a place, and those that would', async () => {
  const { enter, leave, release, look } = open()
  void enter('verified')
  void enter('waiting')
  release()
  void enter('late')
  assert.deepEqual(await look(), ['verified', 'waiting: full for 1 s', 'late: full for 1 s'])
  leave(0)
  void enter('in time')
  assert.deepEqual(await look(), ['in time'])
})

test('3.25 after shutdown a password is verified if there is a place again', async () => {
  const { enter, leave, release, look, clock } = open()
  void enter('wrong')
  leave(2000)
  void enter('waiting')
  release()
  clock.time = 2000
  void enter('in time')
  assert.deepEqual(await look(), ['wrong', 'waiting: full for 1 s', 'in time'])
})

test('3.24 the password of a half-closed client is verified when no other waits, and is dropped first from a full queue', async () => {
  const inTurn = openBoundedWork({ concurrency: 1, maxWaiting: 4, full: 'Four are waiting.' })
  const done: string[] = []
  const { promise: blocked, resolve: unblock } = Promise.withResolvers<void>()
  const ask = (rank: number, title: string, presence: Presence = 'present') =>
    inTurn(
      () => rank,
      async () => void done.push(title),
      () => presence,
    ).catch(({ message }) => done.push(`${title}: ${message}`))
  const all = [
    inTurn(
      () => 0,
      () => blocked,
    ),
    ask(0, 'half 1', 'halfClosed'),
    ask(0, 'half 2', 'halfClosed'),
    ask(9, 'guesser 1'),
    ask(9, 'guesser 2'),
    ask(9, 'guesser 3'),
  ]
  await new Promise(setImmediate)
  assert.deepEqual(done.splice(0), ['half 1: Four are waiting.'])
  unblock()
  await Promise.all(all)
  assert.deepEqual(done, ['guesser 3', 'guesser 1', 'guesser 2', 'half 2'])
})

/** Milliseconds: a verification takes one step or two. */
const step = 4

interface Flood {
  readonly title: string
  /** Of the ids that are guessed. */
  readonly ids: number
  /** After so many milliseconds a guesser leaves and comes again; a second later the gateway takes it for gone. */
  readonly patience: number
}

const floods: readonly Flood[] = [
  { title: '3.25 180 guessers of one operator who leave after a second', ids: 1, patience: 1000 },
  { title: '3.24 180 guessers of many operators who leave after a second', ids: 1000, patience: 1000 },
]

for (const { title, ids, patience } of floods)
  test(`${title} cause no correct password of their network to fail or to wait for two seconds`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout', 'Date'] })
    const pass = (time: number) => new Promise<void>((resolve) => setTimeout(resolve, time))
    const wrong = new Error('wrong')
    const guesses = openGuesses({ isWrong: (error) => error === wrong, full: () => new Error('full'), now: Date.now })
    const inTurn = openBoundedWork({ concurrency: 1, maxWaiting: 200, full: 'full' })
    let verified = 0
    const ask = (name: string, outcome: unknown, leavesAfter: number) => {
      const came = Date.now()
      const presence = (): Presence => {
        const stayed = Date.now() - came
        return stayed < leavesAfter ? 'present' : stayed < leavesAfter + 1000 ? 'halfClosed' : 'left'
      }
      const guess = { address: '192.0.2.1', name, presence }
      const rank = guesses.rankOf(guess)
      const check = async () => {
        verified += 1
        await pass(2 * step)
        if (outcome === wrong) throw wrong
        return outcome
      }
      return guesses.judge(guess, () => inTurn(rank, check, presence))
    }
    for (let connection = 0; connection < 180; connection++)
      void (async () => {
        await pass(connection)
        for (let turn = 0; ; turn++) {
          ask(`name ${(connection + turn * 180) % ids}`, wrong, patience).catch(() => {})
          await pass(patience)
        }
      })()
    const answers: (readonly [outcome: unknown, took: number])[] = []
    const signIn = async (name: string) => {
      for (;;) {
        const came = Date.now()
        const verdict = await ask(name, 'right', Number.POSITIVE_INFINITY).catch((error) => error)
        answers.push([verdict.result ?? verdict, Date.now() - came])
        await pass(50)
      }
    }
    void signIn('name 0')
    void signIn('another')
    for (let time = 0; time < 40_000; time += step) {
      t.mock.timers.tick(step)
      await new Promise(setImmediate)
    }
    assert.deepEqual(new Set(answers.map(([outcome]) => outcome)), new Set(['right']))
    const longest = Math.max(...answers.map(([, took]) => took))
    assert.ok(longest <= 2000, `the longest of ${answers.length} waited for ${longest} ms`)
    const wrongOnes = verified - answers.length
    // 200 places, one more each 150 ms, and those that have no or little delay
    if (ids === 1) assert.ok(wrongOnes <= 200 + 40_000 / 150 + 13, `${wrongOnes} wrong ones were verified`)
    guesses.release()
  })
