/** Errors of any size and of any kind, as handlers throw them (specification 4.12, 8.7). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toAll } from '../../src/model/observation.ts'
import { Refusal } from '../../src/model/refusal.ts'
import { writeEntry } from '../../src/observe/log-entry.ts'
import { maskings } from '../../src/observe/masking/masking.ts'
import { run } from '../support/handler-run.ts'

const max = 16 * 1024 + 200
const large = 'hunter2 '.repeat(5 * 1024 ** 2)

const hostile = {
  get message() {
    throw new Error('hostile')
  },
  toString() {
    throw new Error('hostile')
  },
  get [Symbol.toStringTag]() {
    throw new Error('hostile')
  },
}
class Hostile extends Error {
  override get message(): string {
    throw new Error('hostile')
  }
  override get stack(): string {
    throw new Error('hostile')
  }
  override get cause(): unknown {
    throw new Error('hostile')
  }
}
const thrown: Readonly<Record<string, () => unknown>> = {
  'a message of 40 MB': () => new Error(large),
  'a cause of 40 MB': () => new Error('short', { cause: new Error('short', { cause: new Error(large) }) }),
  'a cause that is a text of 40 MB': () => new Error('short', { cause: large }),
  'a cause whose text has 40 MB': () => new Error('short', { cause: { toString: () => large } }),
  'a name of 40 MB': () => Object.assign(new Error('short'), { name: large }),
  'a name of 40 MB without a blank': () => Object.assign(new Error('short'), { name: 'x'.repeat(40_000_000) }),
  'a stack of 40 MB': () => Object.assign(new Error('short'), { stack: large }),
  'a text of 40 MB': () => large,
  'an object with a text of 40 MB': () => ({ large }),
  'an error that causes itself': () => {
    const error = new Error('itself')
    error.cause = error
    return error
  },
  'an object whose getters throw': () => hostile,
  'an error whose getters throw': () => new Hostile(),
}

const responses: Readonly<Record<string, ((error: unknown) => unknown) | undefined>> = {
  'and has no onError': undefined,
  'and its onError answers': () => 'answered',
  'and its onError throws it again': (error) => Promise.reject(error),
}

for (const [what, make] of Object.entries(thrown))
  for (const [then, onError] of Object.entries(responses))
    test(`8.7, 4.12 of ${what} that a handler throws, ${then}, log and refusal have at most 16 KiB`, async () => {
      class Failing {
        onRequest = () => Promise.reject(make())
        onError = onError && (() => onError(make()) as string)
      }
      const { notes, refusal, response } = await run({ handler: Failing })
      assert.equal(response?.status ?? refusal?.code, then.includes('answers') ? 500 : 'handlerFailed')
      const observed: { readonly message: string; readonly error?: unknown }[] = []
      for (const note of notes) toAll([(told) => void (told.kind === 'note' && observed.push(told))])(note)
      if (refusal) observed.push({ message: refusal.message, error: refusal.cause })
      assert.ok(observed.length > 0)
      for (const { message, error } of observed) {
        assert.ok(message.length <= max, `${message.length}`)
        const { message: cut, stack = '' } = error as Error
        assert.ok(cut.length <= max && stack.length <= max, `${cut.length} ${stack.length}`)
        for (const masking of Object.values(maskings)) {
          const entry = writeEntry({ kind: 'note', level: 'error', message, error }, 5, 0, masking)
          assert.ok(JSON.stringify(entry).length < 4 * max)
          if (masking === maskings.strict) assert.doesNotMatch(JSON.stringify(entry), /hunter2/)
        }
      }
      assert.ok((refusal?.development ?? '').length <= max)
    })

const details: Readonly<Record<string, object>> = {
  'a text of 40 MB': { large, small: 'kept' },
  'texts that together have 40 MB': { list: Array.from({ length: 40_000 }, () => 'hunter2 '.repeat(125)) },
  'a name of 40 MB': { [large]: 1 },
  'a million values': { list: Array.from({ length: 1_000_000 }, () => 'hunter2') },
}
for (const [what, detail] of Object.entries(details))
  test(`8.7 of ${what} in the detail of a note the log has at most 16 KiB, and that is all that is searched for secrets`, () => {
    for (const [name, masking] of Object.entries(maskings)) {
      const searched: number[] = []
      const counting = {
        ...masking,
        detail: (...[json, known]: Parameters<typeof masking.detail>) => {
          searched.push(json.length)
          return masking.detail(json, known)
        },
      }
      const transaction = { id: 'x', job: 'TICK' } as never
      const entry = writeEntry(
        { kind: 'note', level: 'error', message: '', transaction, detail } as never,
        5,
        0,
        counting,
      )
      assert.ok(searched.length === 1 && (searched[0] ?? 0) <= max, `${searched}`)
      assert.ok(JSON.stringify(entry).length < 4 * max)
      if (name === 'strict') assert.doesNotMatch(JSON.stringify(entry), what.includes('name') ? /1/ : /hunter2/)
      else if ('small' in detail) assert.equal((entry.detail as typeof detail).small, 'kept')
    }
  })

test('8.7 the reason of a refusal that a handler throws is cut like a message', () => {
  for (const reason of [large, () => large]) assert.ok(new Refusal('bodyMalformed', reason).message.length <= max)
})

test('8.7 of a large error the log has the class and the lines of its stack', async () => {
  class Failing {
    onRequest = () => {
      throw new RangeError(large)
    }
  }
  const { refusal } = await run({ handler: Failing })
  const [stack] = writeEntry({ kind: 'note', level: 'error', message: '', error: refusal?.cause }, 5, 0).texts
  assert.match(stack?.text ?? '', /^RangeError: hunter2 [\s\S]*… \(41943040 characters\)\n {4}at .*large-errors/)
  assert.match(refusal?.development ?? '', /large-errors\.test\.ts:\d+\)$/)
})
