import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DocumentElement, type PrimitiveType, primitiveTypes } from '../../src/model/document-template.ts'
import type { UriValue } from '../../src/model/primitive.ts'
import { Refusal } from '../../src/model/refusal.ts'
import { readValue } from '../../src/model/uri/uri-document.ts'
import { bindUri } from '../../src/steps/bind-uri.ts'
import { documentOf, elementOf, targetOf, templatesOf } from '../support/uri.ts'

const read = (element: Partial<DocumentElement>, text: string) => readValue(elementOf(element), text)

/** The detail of the refusal; fails where there is none. */
function refused(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    assert.ok(error instanceof Refusal && error.code === 'uriValueInvalid', String(error))
    return error.detail ?? ''
  }
  assert.fail('nothing was refused')
}

interface Row {
  readonly type: PrimitiveType
  readonly values: readonly (readonly [text: string, value: UriValue])[]
  readonly invalid: readonly string[]
  readonly rule: RegExp
}

const texts = ['', ' ', 'a b', 'caf\u00e9 \u{1f600}', '7', 'true'].map((text) => [text, text] as const)
const moments = (...valid: string[]) => valid.map((text) => [text, text] as const)

const rows: readonly Row[] = [
  { type: 'String', values: texts, invalid: [], rule: /^$/ },
  { type: 'Text', values: texts, invalid: [], rule: /^$/ },
  { type: 'Character', values: texts, invalid: [], rule: /^$/ },
  {
    type: 'Integer',
    values: [
      ['0', 0],
      ['-0', 0],
      ['7', 7],
      ['-12', -12],
      ['007', 7],
      ['9007199254740991', 9007199254740991],
    ],
    invalid: [
      '',
      ' 7',
      '7 ',
      '+7',
      '--7',
      '1.0',
      '1e3',
      '0x10',
      '1_000',
      '9007199254740992',
      '-9007199254740992',
      '\u0667',
      'Infinity',
      '9'.repeat(8000),
    ],
    rule: /^x must be an Integer of up to 9007199254740991, not "/,
  },
  {
    type: 'Decimal',
    values: [
      ['0', 0],
      ['-0.00', 0],
      ['7', 7],
      ['-12.50', -12.5],
      ['00.25', 0.25],
      ['0.000000000000123', 1.23e-13],
      ['123456789012345', 123456789012345],
      ['1234567890123456', '1234567890123456'],
      ['-0.1234567890123456', '-0.1234567890123456'],
      ['0.30000000000000004', '0.30000000000000004'],
    ],
    invalid: ['', '.5', '5.', '1,5', '1e3', '+1', '1.2.3', 'NaN', '-', ' 1'],
    rule: /^x must be a Decimal: digits, with a point between them or not, not "/,
  },
  {
    type: 'Boolean',
    values: [
      ['true', true],
      ['1', true],
      ['Y', true],
      ['false', false],
      ['0', false],
      ['N', false],
    ],
    invalid: ['', 'TRUE', 'yes', 'y', 'n', '2', 'on', 'toString'],
    rule: /^x must be a Boolean: true or false, 1 or 0, Y or N, not "/,
  },
  {
    type: 'Date',
    values: moments('2026-11-21', '0001-01-01', '9999-12-31', '2024-02-29', '2000-02-29'),
    invalid: [
      '',
      '2026-02-29',
      '1900-02-29',
      '2026-00-01',
      '2026-13-01',
      '2026-04-31',
      '2026-01-00',
      '0000-01-01',
      '26-01-01',
      '2026-1-1',
      '20260101',
      '2026-01-01T00:00:00',
      '2026/01/01',
    ],
    rule: /^x must be a Date, YYYY-MM-DD, not "/,
  },
  {
    type: 'Time',
    values: moments(
      '00:00',
      '23:59:59',
      '09:30:00.123456',
      '09:30:00Z',
      '09:30:00+01:00',
      '9:30',
      '9:30:00.000000',
      '09:30:00.000000-0700',
      '09.30.00',
      '09.30.00.123456',
    ),
    invalid: [
      '',
      '24:00:00',
      '23:60:00',
      '23:59:60',
      ':30',
      '9.30.00',
      '09:30:00-70',
      '09:30:00.',
      '09:30:00.1234567',
      '09.30',
      '09:30.00',
      '09:30:00+1',
      '09:30:00 01:00',
    ],
    rule: /^x must be a Time, HH:MM:SS or HH\.MM\.SS\.ffffff, not "/,
  },
  {
    type: 'DateTime',
    values: moments(
      '2026-11-21T10:11:12',
      '2026-11-21T10:11',
      '2026-11-21 10:11:12.5',
      '2026-11-21T10:11:12.123456-05:30',
      '2009-04-06T09:30:00-0700',
      '2009-04-06T9:30:00.000000-0700',
      '2026-11-21-10.11.12.123456',
      '2026-11-21-10.11.12',
    ),
    invalid: [
      '',
      '2026-11-21',
      '2026-02-30T10:11:12',
      '2026-11-21T25:00:00',
      '2026-11-21-10:11:12',
      '2026-11-21T10.11.12',
      '2026-11-21T',
      '2026-11-2110:11:12',
      '2026-11-21T10:11:12 01:00',
    ],
    rule: /^x must be a DateTime, YYYY-MM-DDTHH:MM:SS or YYYY-MM-DD-HH\.MM\.SS\.ffffff, not "/,
  },
  {
    type: 'Binary',
    values: [
      ['', ''],
      ['aGVsbG8=', 'hello'],
      ['aGVsbG8', 'hello'],
      ['+/8=', '\u00fb\u00ff'],
      ['-_8', '\u00fb\u00ff'],
      ['AA==', '\0'],
    ].map(([text, bytes]) => [text ?? '', Buffer.from(bytes ?? '', 'latin1')]),
    invalid: ['a', 'aGVsbG9=', 'aGVsbG8==', 'a GVs', 'aGVsbG8=\n', '+_8', '====', '=', 'AAA=A', 'AAAA='],
    rule: /^x must be base64, not "/,
  },
]

for (const { type, values, invalid, rule } of rows) {
  test(`2.15 ${type}: these texts are values`, () => {
    for (const [text, value] of values) assert.deepEqual(read({ type }, text), value, JSON.stringify(text))
  })
  if (invalid.length === 0) continue
  test(`2.15 ${type}: these texts are refused, naming element and rule`, () => {
    for (const text of invalid)
      assert.match(
        refused(() => read({ type }, text)),
        rule,
        JSON.stringify(text),
      )
  })
}

test('2.15 there are ten types', () => {
  assert.deepEqual([...primitiveTypes].sort(), rows.map(({ type }) => type).sort())
})

test('2.15 a length counts characters, not bytes or halves', () => {
  for (const text of ['', 'abc', '\u00fc\u00fc\u00fc', '\u{1f600}\u{1f600}\u{1f600}'])
    assert.equal(read({ length: 3 }, text), text)
  for (const text of ['abcd', '\u{1f600}\u{1f600}\u{1f600}a', 'x'.repeat(8000)]) {
    assert.match(
      refused(() => read({ length: 3 }, text)),
      /^x may have at most 3 characters, not "/,
    )
  }
})

test('2.15, 8.7 the value of an element named like a secret is not repeated', () => {
  assert.equal(
    refused(() => read({ name: 'pin', length: 3 }, '1234')),
    'pin may have at most 3 characters.',
  )
})

test('2.15 a length applies to every type', () => {
  assert.match(
    refused(() => read({ type: 'Integer', length: 3 }, '-123')),
    /^x may have at most 3 characters, not "-123"/,
  )
})

test('2.15 enumerated values are compared as they are written', () => {
  const values = ['open', 'closed']
  assert.equal(read({ values }, 'open'), 'open')
  for (const text of ['Open', '', 'open ', 'ope']) {
    assert.equal(
      refused(() => read({ values }, text)),
      `x must be one of open, closed, not ${JSON.stringify(text)}.`,
    )
  }
})

test('2.15 a refusal repeats at most 64 characters of the value', () => {
  const exactly = refused(() => read({ type: 'Integer' }, 'a'.repeat(64)))
  assert.ok(exactly.endsWith(`not "${'a'.repeat(64)}".`))
  const longer = refused(() => read({ type: 'Integer' }, 'a'.repeat(65)))
  assert.ok(longer.endsWith(`not "${'a'.repeat(64)}"\u2026.`))
  const wide = refused(() => read({ type: 'Integer' }, '\u{1f600}'.repeat(4000)))
  assert.ok(wide.endsWith(`not "${'\u{1f600}'.repeat(64)}"\u2026.`))
})

test('2.15 the reason for the log does not repeat the value', () => {
  assert.throws(() => read({ type: 'Integer' }, 'secret'), {
    message: 'x must be an Integer of up to 9007199254740991',
  })
})

function bind(sources: readonly string[], document: ReturnType<typeof documentOf>, request: string) {
  return bindUri(targetOf(`A.v1${request}`), { templates: templatesOf(sources, document), document })
}

test('2.17 values of path and query are placed in the elements of the same name, decoded and typed', () => {
  const document = documentOf('name', 'count:Integer', 'since:Date', 'flag:Boolean')
  const { values, uriResourceIndex } = bind(
    ['{name}', '{name}/{count}?since={since}{&flag}'],
    document,
    '/a%20b/7?flag=Y&since=2026-11-21',
  )
  assert.equal(uriResourceIndex, 2)
  assert.deepEqual({ ...values }, { name: 'a b', count: 7, since: '2026-11-21', flag: true })
})

test('2.19 a missing optional member has no value', () => {
  const { values } = bind(['s{?x,y}'], documentOf('x', 'y'), '/s?y=')
  assert.equal(values.x, undefined)
  assert.equal(values.y, '')
  assert.deepEqual(Object.keys(values), ['y'])
})

test('2.17 a name that is not an element has no value, whatever it is', () => {
  const { values } = bind(['{x}'], documentOf('x'), '/1?constructor=2&__proto__=3')
  for (const name of ['constructor', '__proto__', 'toString', 'y']) assert.equal(values[name], undefined)
})

test('2.23 a collection receives all values, each typed, and a primitive the first', () => {
  const document = documentOf('ids:Integer*', 'names*', 'x')
  const { values } = bind(['{ids}{?names*,x}'], document, '/1,2,3?names=a,b&x=1&names=&x=2')
  assert.deepEqual({ ...values }, { ids: [1, 2, 3], names: ['a,b', ''], x: '1' })
})

test('2.15 a single invalid value of a collection is refused', () => {
  assert.match(
    refused(() => bind(['{ids}'], documentOf('ids:Integer*'), '/1,b,3')),
    /^ids must be an Integer.*, not "b"\.$/,
  )
})

test('2.15, 2.23 of a repeated name the first value must fit, and the others are ignored', () => {
  assert.deepEqual({ ...bind(['s{?x}'], documentOf('x:Integer'), '/s?x=1&x=b').values }, { x: 1 })
  assert.match(
    refused(() => bind(['s{?x}'], documentOf('x:Integer'), '/s?x=b&x=1')),
    /^x must be an Integer/,
  )
})

test('2.15 a missing required element is refused', () => {
  const document = documentOf('x!', 'list*!')
  assert.equal(
    refused(() => bind(['s{?x,list*}'], document, '/s?list=1')),
    'x is required.',
  )
  assert.equal(
    refused(() => bind(['s{?x,list*}'], document, '/s?x=1')),
    'list is required.',
  )
  assert.deepEqual({ ...bind(['s{?x,list*}'], document, '/s?x=&list=').values }, { x: '', list: [''] })
})

test('2.15 a value that does not fit does not make another template match', () => {
  const document = documentOf('id:Integer', 'name')
  assert.match(
    refused(() => bind(['a/{id}', '{name}/{id}'], document, '/a/b')),
    /^id must be an Integer/,
  )
})
