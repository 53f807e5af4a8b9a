/** Short form of the ordeal of secrets (`npm run ordeal secrets`). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openRandom, runOrdeal } from './ordeal/ordeal.ts'
import { secrets } from './ordeal/secrets.ts'
import { openMarks } from './ordeal/secrets-marks.ts'

test('8.7, 8.10, 19.11 no secret that is sent, by whatever way in, is in a log, a table, a metric, a trace or an answer of administration', async () => {
  const leaks: string[] = []
  const trials = process.env.IG_TEST_POSTGRES ? 2 : 1 // one on each database
  const { tally, done } = await runOrdeal(secrets, { trials, say: (leak) => void leaks.push(leak) })
  assert.deepEqual(leaks, [])
  assert.deepEqual(secrets.judge(tally, done), [])
})

test('8.7 the ordeal of secrets sees what is found, what was not searched, and that secrets were sent', () => {
  const sound = { sent: 100, places: 60, found: 0, blind: 0 }
  assert.deepEqual(secrets.judge(sound, 1), [])
  for (const name of ['found', 'blind']) assert.equal(secrets.judge({ ...sound, [name]: 1 }, 1).length, 1, name)
  assert.equal(secrets.judge({}, 1).length, 2)
})

test('8.7 the ordeal of secrets finds a mark in each form', () => {
  const marks = openMarks(openRandom(1))
  const secret = marks.secret('mine')
  const each = (write: (code: number) => string) =>
    [...secret].map((character) => write(character.charCodeAt(0))).join('')
  const forms = [
    secret,
    ...['', 'a', 'ab', 'DEMO:'].map((before) => Buffer.from(`${before}${secret}`).toString('base64')),
    each((code) => `%${code.toString(16)}`),
    each((code) => `\\u00${code.toString(16)}`),
    each((code) => `&#x${code.toString(16)};`),
    Buffer.from(secret).toString('hex'),
    Buffer.from(secret, 'utf16le').toString('latin1'),
  ]
  for (const form of forms) assert.equal(marks.find(`before ${form} after`).length, 1, form)
  assert.deepEqual(marks.find(`before ${marks.readable} after`), [])
})
