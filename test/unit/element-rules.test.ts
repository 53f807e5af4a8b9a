/** Minimum, maximum, pattern and examples of elements: what configurations may state, and what values pass (specification 2.28 to 2.30, 2.33). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compareDecimals, countDigits, normalizeDecimal, roundDecimal } from '../../src/base/decimal.ts'
import { buildDocument } from '../../src/configuration/build-document.ts'
import { diffConfigurations } from '../../src/configuration/diff-configurations.ts'
import { parseConfiguration } from '../../src/configuration/parse-configuration.ts'
import { Refusal } from '../../src/model/refusal.ts'
import { readValue } from '../../src/model/uri/uri-document.ts'

// biome-ignore lint/suspicious/noExplicitAny: rows state what the types forbid
type Anything = any

function configure(element: Anything, isActive = true) {
  return parseConfiguration({
    nodes: [{ name: 'HERE', isDefaultLocal: true }],
    services: [{ name: 'S' }],
    documents: [{ name: 'D', elements: { x: element } }],
    messages: [{ name: 'M', document: 'D' }],
    operations: [
      {
        service: 'S',
        name: 'OP',
        method: 'GET',
        uriTemplates: ['{?x}'],
        documentTemplate: 'M',
        isActive,
        handler: 'h.ts',
      },
    ],
  })
}

function problemsOf(element: Anything): readonly string[] {
  const parsed = configure(element)
  return 'problems' in parsed ? parsed.problems.map(({ path, message }) => `${path} ${message}`) : []
}

function configurationOf(element: Anything, isActive = true) {
  const parsed = configure(element, isActive)
  if ('problems' in parsed) assert.fail(JSON.stringify(parsed.problems))
  return parsed.configuration
}

function elementOf(definition: Anything) {
  const [document] = configurationOf(definition).documents
  const element = document && buildDocument(document).elements.get('x')
  assert.ok(element)
  return element
}

/** The detail of the refusal; undefined for a value that passes. */
function refusalOf(definition: Anything, text: string): string | undefined {
  try {
    readValue(elementOf(definition), text)
    return undefined
  } catch (error) {
    assert.ok(error instanceof Refusal && error.code === 'uriValueInvalid', String(error))
    return error.detail
  }
}

const values: readonly {
  title: string
  element: Anything
  passes: readonly string[]
  refused: Record<string, string>
}[] = [
  {
    title: '2.28 an Integer has a minimum and a maximum',
    element: { type: 'Integer', minimum: 1, maximum: 100 },
    passes: ['1', '001', '100'],
    refused: {
      0: 'x must be at least 1, not "0".',
      101: 'x must be at most 100, not "101".',
      '-1': 'x must be at least 1, not "-1".',
    },
  },
  {
    title: '2.28 bounds of a Decimal are compared digit by digit, beyond the precision of a number',
    element: { type: 'Decimal', minimum: '-0.1', maximum: '12345678901234567890.12' },
    passes: ['-0.1', '-0.10', '0', '12345678901234567890.12', '12345678901234567890.119'],
    refused: {
      '-0.1000000000000000000001': 'x must be at least -0.1, not "-0.1000000000000000000001".',
      '12345678901234567890.121': 'x must be at most 12345678901234567890.12, not "12345678901234567890.121".',
    },
  },
  {
    title: '2.28 0.1 + 0.2 as digits does not exceed 0.3',
    element: { type: 'Decimal', maximum: 0.3 },
    passes: ['0.3', '0.300'],
    refused: { '0.30000000000000004': 'x must be at most 0.3, not "0.30000000000000004".' },
  },
  {
    title: '2.29 the whole value matches the pattern',
    element: { type: 'String', pattern: '[A-Z]{2}\\d+' },
    passes: ['AB1', 'ZZ999'],
    refused: {
      xAB1: 'x must match the pattern [A-Z]{2}\\d+, not "xAB1".',
      'AB1\n': 'x must match the pattern [A-Z]{2}\\d+, not "AB1\\n".',
    },
  },
  {
    title: '2.29 a pattern with alternatives is anchored as a whole',
    element: { type: 'String', pattern: 'a|bc' },
    passes: ['a', 'bc'],
    refused: { ac: 'x must match the pattern a|bc, not "ac".' },
  },
]

for (const { title, element, passes, refused } of values) {
  test(title, () => {
    for (const text of passes) assert.equal(refusalOf(element, text), undefined, text)
    for (const [text, detail] of Object.entries(refused)) assert.equal(refusalOf(element, text), detail)
  })
}

test('2.29 a pattern that causes backtracking elsewhere is matched in linear time', () => {
  const element = elementOf({ type: 'String', pattern: '(a+)+(a|a)*(a?){100}' })
  // With backtracking, the first 40 characters would take longer than this machine exists
  assert.throws(() => readValue(element, `${'a'.repeat(50_000)}b`), Refusal)
})

const faults: readonly { title: string; element: Anything; problems: readonly string[] }[] = [
  {
    title: '2.28 bounds are for Integer and Decimal only, whole for an Integer, and in order',
    element: { type: 'String', minimum: 1 },
    problems: [
      'documents[0].elements.x.minimum has no effect on a String: only an Integer or a Decimal has one. Remove it',
    ],
  },
  {
    title: '2.28 a bound of an Integer is a whole number',
    element: { type: 'Integer', maximum: '1.5' },
    problems: ['documents[0].elements.x.maximum must be a whole number, as its element is an Integer, not 1.5'],
  },
  {
    title: '2.28 a minimum above the maximum is an error',
    element: { type: 'Decimal', minimum: '0.30', maximum: 0.29 },
    problems: ['documents[0].elements.x.minimum must be at most the maximum, 0.29, not 0.3'],
  },
  {
    title: "2.28 a bound that is not a number, or exceeds a number's precision, is an error",
    element: { type: 'Decimal', minimum: 'many', maximum: 0.1 + 0.2 },
    problems: [
      'documents[0].elements.x.maximum must be a string of its digits: a number keeps only 15',
      'documents[0].elements.x.minimum must be a number, or its digits as a string: 100, "0.05"',
    ],
  },
  {
    title: '2.28, 2.15 an enumerated value out of bounds is an error',
    element: { type: 'Integer', maximum: 2, values: ['1', '3'] },
    problems: ['documents[0].elements.x.values[1] must be at most 2, as its element requires, not "3"'],
  },
  {
    title: '2.29 a look-around is an error of the configuration',
    element: { type: 'String', pattern: '(?=a)b' },
    problems: [
      'documents[0].elements.x.pattern has a look-around such as (?=…), which cannot be matched in linear time: leave it out',
    ],
  },
  {
    title: '2.29 a look-behind is an error of the configuration',
    element: { type: 'String', pattern: '(?<!a)b' },
    problems: [
      'documents[0].elements.x.pattern has a look-around such as (?=…), which cannot be matched in linear time: leave it out',
    ],
  },
  {
    title: '2.29 a back reference is an error of the configuration',
    element: { type: 'String', pattern: '(a)\\1' },
    problems: [
      'documents[0].elements.x.pattern has a back reference such as \\1, which cannot be matched in linear time: leave it out',
    ],
  },
  {
    title: '2.33 an example must be a value of its element',
    element: { type: 'String', pattern: '[a-z]+', examples: ['ok', 'NO'] },
    problems: ['documents[0].elements.x.examples[1] must match the pattern [a-z]+, as its element requires, not "NO"'],
  },
  {
    title: '2.33 an example must be one of the enumerated values',
    element: { type: 'String', values: ['a', 'b'], examples: ['c'] },
    problems: ['documents[0].elements.x.examples[0] must be one of a, b, as its element requires, not "c"'],
  },
]

for (const { title, element, problems } of faults) {
  test(title, () => assert.deepEqual(problemsOf(element), problems))
}

test('2.29 a pattern that RE2 cannot read is an error with its reason', () => {
  const [problem = ''] = problemsOf({ type: 'String', pattern: '(' })
  assert.match(problem, /^documents\[0\]\.elements\.x\.pattern is not a pattern in the syntax of RE2: .*missing/)
})

const narrowings: readonly {
  title: string
  before: Anything
  after: Anything
  isActive?: boolean
  breaks: string | undefined
}[] = [
  { title: 'a new minimum', before: {}, after: { minimum: 1 }, breaks: 'x (minimum 1)' },
  { title: 'a higher minimum', before: { minimum: 1 }, after: { minimum: 2 }, breaks: 'x (minimum 2)' },
  { title: 'a lower maximum', before: { maximum: '10' }, after: { maximum: 9 }, breaks: 'x (maximum 9)' },
  { title: 'another pattern', before: { pattern: '\\d' }, after: { pattern: '\\d+' }, breaks: 'x (pattern \\d+)' },
  { title: 'a wider range', before: { minimum: 2, maximum: 5 }, after: { minimum: 1, maximum: 6 }, breaks: undefined },
  { title: 'the same bound, written otherwise', before: { minimum: 1 }, after: { minimum: '1.0' }, breaks: undefined },
  { title: 'the bound removed', before: { minimum: 1, pattern: '\\d' }, after: {}, breaks: undefined },
  { title: 'an inactive operation', before: {}, after: { minimum: 1 }, isActive: false, breaks: undefined },
]

for (const { title, before, after, isActive = true, breaks } of narrowings) {
  test(`2.30 narrowing an element needs --force, widening it does not: ${title}`, () => {
    const of = (rules: Anything) => configurationOf({ type: 'Integer', ...rules }, isActive)
    const found = diffConfigurations(of(before), of(after)).map((change) => change.breaks)
    const sentence = `accepts less in ${breaks}: clients of GET OP.v1 that send other values are refused`
    assert.deepEqual(found, [breaks === undefined ? undefined : sentence])
  })
}

test('2.30 a rule of a new element needs no --force', () => {
  const before = configurationOf({ type: 'Integer' })
  const after = structuredClone(before) as Anything
  after.documents[0].elements.y = { type: 'Integer', minimum: 1, isCollection: false, isRequired: false }
  assert.deepEqual(
    diffConfigurations(before, after).map(({ breaks }) => breaks),
    [undefined],
  )
})

const decimal = fc
  .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.nat({ max: 30 }))
  .map(([isNegative, digits, places]) => ({ value: isNegative ? -digits : digits, places }))
const textOf = ({ value, places }: { value: bigint; places: number }) => `${value}e-${places}`

test('2.28 decimals are compared as their values', () => {
  fc.assert(
    fc.property(decimal, decimal, (a, b) => {
      const most = Math.max(a.places, b.places)
      const [one, other] = [a, b].map(({ value, places }) => value * 10n ** BigInt(most - places)) as [bigint, bigint]
      const [left, right] = [normalizeDecimal(textOf(a)) ?? '', normalizeDecimal(textOf(b)) ?? '']
      assert.equal(Math.sign(compareDecimals(left, right)), one < other ? -1 : one > other ? 1 : 0)
    }),
    { numRuns: 200 },
  )
})

test('2.28 a decimal has one form: no exponent, no zeros at either end', () => {
  const rows = [
    ['1e21', '1000000000000000000000'],
    [1e-7, '0.0000001'],
    ['-0.0', '0'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['+007.700', '7.7'],
    ['12.5e-1', '1.25'],
    [12n, '12'],
    ['NaN', undefined],
    ['', undefined],
    ['.', undefined],
    ['1,5', undefined],
  ] as const
  for (const [value, text] of rows) assert.equal(normalizeDecimal(value), text, String(value))
  assert.deepEqual(['0.00120', '1000', '0', '12.05'].map(countDigits), [2, 1, 0, 4])
  const rounded = [
    ['12.345', 2, '12.35', 2],
    ['-12.345', 2, '-12.35', 2],
    ['99.999', 2, '100', 3],
    ['0.004', 2, '0', 0],
    ['7', 0, '7', 1],
    ['0.5', 0, '1', 1],
  ] as const
  for (const [value, scale, text, wholeDigits] of rounded) {
    assert.deepEqual(roundDecimal(value, scale), { text, wholeDigits }, value)
  }
})
