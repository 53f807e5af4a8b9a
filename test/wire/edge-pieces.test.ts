/** In which pieces a request arrives changes nothing of its response (specification 7.5). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openRandom } from '../ordeal/ordeal.ts'
import { exchange, openConnection, openEdgeRun, requests } from '../support/edge-streams.ts'

/** Longer requests are cut at so many places, among them all near their ends. */
const places = 120

function cutPlaces(length: number): number[] {
  if (length <= 2 * places) return Array.from({ length: length - 1 }, (_, index) => index + 1)
  const step = Math.ceil(length / places)
  return Array.from({ length: length - 1 }, (_, index) => index + 1).filter((at) => at % step === 0 || length - at < 12)
}

for (const [index, text] of requests.entries()) {
  test(`7.5 ${JSON.stringify(text.slice(0, 60))} (${index}) gets the same response however it is split`, async (context) => {
    const run = openEdgeRun()
    context.after(run.close)
    const random = openRandom(index)
    const bytes = Buffer.from(text, 'latin1')
    const send = (pieces: readonly Buffer[]) => exchange(pieces, openConnection(run))
    const whole = await send([bytes])
    const cutAt = (...ends: number[]) => [0, ...ends].map((start, at) => bytes.subarray(start, ends[at]))
    const cuts = cutPlaces(bytes.length).map((at) => cutAt(at))
    for (let count = 0; count < 8; count += 1) {
      const ends = Array.from({ length: 1 + Math.floor(random() * 8) }, () => Math.floor(random() * bytes.length))
      cuts.push(cutAt(...new Set(ends.toSorted((a, b) => a - b))).filter(({ length }) => length > 0))
    }
    if (bytes.length < 2000) cuts.push(Array.from(bytes, (byte) => Buffer.from([byte])))
    const answers = await Promise.all(cuts.map(send))
    for (const [at, answer] of answers.entries())
      assert.equal(answer, whole, `${cuts[at]?.map(({ length }) => length)}`)
  })
}
