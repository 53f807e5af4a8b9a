/** What is shown of errors and of notes (specification 8.7, 8.11). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../../src/model/refusal.ts'
import { writeEntry } from '../../src/observe/log-entry.ts'
import { maskings } from '../../src/observe/masking/masking.ts'
import { Refusal as HandlerRefusal, type RequestMessage } from '../../src/sdk.ts'
import { run } from '../support/handler-run.ts'

const { strict } = maskings

test('8.11 under strict an error shows its class and its lines, and a reason no quoted values', () => {
  const error = new TypeError('hunter2 is no number', { cause: new Error('hunter2') })
  assert.match(strict.stack(error), /^TypeError: \[redacted\]\n {4}at .*masking-errors/)
  assert.doesNotMatch(strict.stack(error), /hunter2/)
  const reason = 'X_GET.v1: the handler failed: TypeError: hunter2 is no number'
  assert.equal(strict.reason(reason, error), 'X_GET.v1: the handler failed: TypeError: [redacted]')
  assert.equal(
    strict.reason('sub is not an operator id (claimed: "hunter2")', undefined),
    'sub is not an operator id (claimed: "[redacted]")',
  )
})

test('8.11 under strict no part of a message counts as a class or a line, and a short message is not masked within other words', () => {
  const error = new Error('a\n    at hunter2 (x)', { cause: Object.assign(new Error('x'), { name: 'hunter2 is it' }) })
  assert.doesNotMatch(strict.stack(error), /hunter2/)
  assert.match(strict.stack(error), /^Error: \[redacted\]\n {4}at .*masking-errors/)
  assert.match(strict.stack(error.cause as Error), /^Error: \[redacted\]\n {4}at .*masking-errors/)
  assert.equal(strict.reason('it failed: hunter2 is it: x', error), 'it failed: [redacted]: [redacted]')
  const reason = 'X_GET.v1: the handler failed: Error: e'
  assert.equal(strict.reason(reason, new Error('e')), 'X_GET.v1: the handler failed: Error: [redacted]')
})

test('8.11 under strict what onError throws is masked in its note, even if it is not an error', async () => {
  class Failing {
    onRequest = () => Promise.reject('hunter2')
    onError = () => Promise.reject('hunter2')
  }
  const { notes, refusal } = await run({ handler: Failing })
  const entries = notes.map((note) => writeEntry(note, 5, 0, strict))
  assert.match(entries.at(-1)?.message ?? '', /failed as well: \[redacted\]$/)
  assert.doesNotMatch(JSON.stringify([entries, strict.reason(refusal?.message ?? '', refusal?.cause)]), /hunter2/)
})

test('8.11 under strict what a schema says about a refused body is not shown: its author may have put values into it', () => {
  const errors = [{ pointer: '/b', detail: 'differs from hunter2' }]
  const refusal = new Refusal('bodyInvalid', 'the body does not match the schema: /b: differs from hunter2', { errors })
  assert.equal(strict.refusal(refusal), 'refused by the handler: [redacted]')
})

test("8.11 under strict the reason of a refusal is shown if it is the gateway's, and not if it is a handler's", async () => {
  const refuse = async (onRequest: (request: RequestMessage) => never | Promise<never>) => {
    const { refusal } = await run({
      handler: class {
        onRequest = onRequest
      },
      body: '<a>',
    })
    assert.equal(refusal?.code, 'bodyMalformed')
    return refusal ? [strict.refusal(refusal), maskings.known.refusal(refusal)] : []
  }
  const ofHandler = await refuse(() => {
    throw new HandlerRefusal('bodyMalformed', 'KIM owes hunter2', { cause: new Error('hunter2') })
  })
  assert.deepEqual(ofHandler, ['refused by the handler: [redacted]', 'KIM owes hunter2'])
  class Derived extends HandlerRefusal {}
  const derived = await refuse(() => {
    throw new Derived('bodyMalformed', 'hunter2')
  })
  assert.equal(derived[0], 'refused by the handler: [redacted]')
  const ofGateway = await refuse(async (request) => {
    try {
      await request.getXmlDoc()
    } catch (error) {
      assert.ok(error instanceof HandlerRefusal && !(error instanceof Derived))
      throw error
    }
    throw new Error('it was read')
  })
  assert.match(ofGateway[0] ?? '', /unclosed/i)
  assert.equal(ofGateway[0], ofGateway[1])
})

test('8.7 an error is logged whatever its cause is', () => {
  const error = new Error('it failed', { cause: Object.create(null) })
  const event = { kind: 'event', level: 'error', name: 'x', message: 'it failed', error } as const
  assert.match(writeEntry(event, 5, 0).texts[0]?.text ?? '', /caused by: \[object Object\]$/)
})

test("8.11 under strict the gateway's note of a refused request has its address, and a handler's detail is masked", () => {
  const write = (operation: unknown) => {
    const transaction = { id: '1', operation } as never
    const detail = { status: 400, remoteAddress: '192.0.2.1' }
    const note = { kind: 'note', level: 'warning', transaction, message: 'Request refused', detail } as const
    return JSON.parse((writeEntry(note, 5, 0, strict).texts[0]?.text ?? '').replaceAll('[redacted]', '"[redacted]"'))
  }
  assert.deepEqual(write(undefined), { status: 400, remoteAddress: '192.0.2.1' })
  const operation = { id: 'X_GET.v1', templates: [] }
  assert.deepEqual(write(operation), { status: '[redacted]', remoteAddress: '[redacted]' })
})

test('8.11 under strict log entries outside calls are readable, except for unexpected errors', () => {
  const write = (level: 'error' | 'exception') => {
    const error = new Error('the reason')
    const event = { kind: 'event', level, name: 'x', message: `it failed: ${error.message}`, error } as const
    const { message, texts } = writeEntry(event, 5, 0, strict)
    return [message, texts[0]?.text.split('\n')[0]]
  }
  assert.deepEqual(write('error'), ['it failed: the reason', 'Error: the reason'])
  assert.deepEqual(write('exception'), ['it failed: [redacted]', 'Error: [redacted]'])
})
