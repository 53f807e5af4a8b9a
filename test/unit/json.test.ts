/** JSON in and out as pure functions (specification 5.3, 5.20). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseJson } from '../../src/model/content/json.ts'
import { writeJson } from '../../src/model/content/json-writer.ts'
import { Refusal } from '../../src/sdk.ts'
import { anyCharacter } from '../support/any-character.ts'

const value = fc.jsonValue({ maxDepth: 6, stringUnit: anyCharacter })

test('5.20 JSON is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(value, fc.nat(2), (written, indent) => {
      const text = JSON.stringify(written, null, indent)
      if (text.includes('"__proto__":') || !isSound(written)) assert.throws(() => parseJson(text), Refusal)
      else assert.deepEqual(parseJson(text), JSON.parse(text))
    }),
    { numRuns: 200 },
  )
})

function isSound(written: unknown): boolean {
  if (typeof written === 'string') return written.isWellFormed()
  if (typeof written !== 'object' || written === null) return true
  return Object.entries(written).every(([name, member]) => name.isWellFormed() && isSound(member))
}

test('5.20 a name twice in one object is found wherever it is, and however it is written', () => {
  const name = fc.string({ maxLength: 4 }).filter((text) => text !== '__proto__')
  fc.assert(
    fc.property(name, value, value, fc.boolean(), (twice, one, other, isEscaped) => {
      const again = isEscaped
        ? `"${[...twice].map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`
        : JSON.stringify(twice)
      const text = `[{"x:{":${JSON.stringify(one)},${JSON.stringify(twice)}:1,${again}:${JSON.stringify(other)}}]`
      assert.throws(() => parseJson(text), Refusal)
    }),
    { numRuns: 100 },
  )
})

test('5.3 a value is written as JSON.stringify writes it', () => {
  fc.assert(
    fc.property(fc.object({ maxDepth: 4, withDate: true, withNullPrototype: true }), fc.boolean(), (written, isBig) => {
      const text = jsonOf(written)
      if (text === undefined) assert.throws(() => writeJson(written), TypeError)
      else if (isBig) assert.equal(writeJson([7n, written]), `[7,${text}]`)
      else assert.equal(writeJson(written), text)
    }),
    { numRuns: 300 },
  )
  class Money {
    cents = 150
    toJSON(key: string) {
      return { key, euros: this.cents / 100, big: 1n }
    }
  }
  assert.equal(writeJson({ price: new Money() }), '{"price":{"key":"price","euros":1.5,"big":1}}')
  // biome-ignore lint/suspicious/noSparseArray: what is tested
  assert.equal(writeJson([, 1n, new String('a'), () => 1, { f() {} }]), '[null,1,"a",null,{}]')
  const raw = (JSON as typeof JSON & { rawJSON(text: string): unknown }).rawJSON('1.10')
  assert.equal(writeJson({ raw, big: 1n }), '{"raw":1.10,"big":1}')
})

/** Undefined where a number or a date is none. */
function jsonOf(written: unknown): string | undefined {
  let isSound = true
  const text = JSON.stringify(written, function (this: Record<string, unknown>, name, member) {
    const own = this[name] // a Date has become a text, or null
    if ((typeof own === 'number' || own instanceof Date) && !Number.isFinite(Number(own))) isSound = false
    return member
  })
  return isSound ? text : undefined
}

test('5.3 a value that JSON cannot represent is a TypeError that names its place', () => {
  const circle: Record<string, unknown> = {}
  circle.child = [{ circle }]
  const deep = { list: [{ 'a b': Number.NaN }] }
  const rows: [unknown, string][] = [
    [undefined, 'JSON cannot be made of undefined'],
    [() => 1, 'JSON cannot be made of a function'],
    [Number.NaN, 'JSON cannot be made of the value: it is NaN'],
    [deep, 'JSON cannot be made of list[0]["a b"]: it is NaN'],
    [{ a: -Infinity }, 'JSON cannot be made of a: it is -Infinity'],
    [{ photo: Buffer.from('x') }, 'JSON cannot be made of photo: it is a Buffer'],
    [[new Uint8Array(1)], 'JSON cannot be made of [0]: it is a Uint8Array'],
    [{ m: new Map() }, 'JSON cannot be made of m: it is a Map'],
    [{ rows: Promise.resolve([]) }, 'JSON cannot be made of rows: it is a Promise'],
    [{ when: new Date(Number.NaN) }, 'JSON cannot be made of when: it is an invalid Date'],
    [circle, 'JSON cannot be made of child[0].circle: it is a parent of itself'],
  ]
  for (const [wrong, message] of rows) assert.throws(() => writeJson(wrong), { name: 'TypeError', message })
})
