/** Properties of URI templates, against a matcher that is written to be obviously right, and slow. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { PrimitiveType } from '../../src/model/document-template.ts'
import type { UriValue } from '../../src/model/primitive.ts'
import { buildUri } from '../../src/model/uri/build-uri.ts'
import { matchUriTemplates } from '../../src/model/uri/match-uri-template.ts'
import { parseTarget } from '../../src/model/uri/target.ts'
import { compareSpecificity, sameRequests, type UriTemplate } from '../../src/model/uri/uri-template.ts'
import { bindUri } from '../../src/steps/bind-uri.ts'
import { anyCharacter } from '../support/any-character.ts'
import { documentOf, root, targetOf, templateOf } from '../support/uri.ts'

// A template as the generator makes it: nothing of it comes from the parser under test.

type Part = string | { readonly variable: string }
type Item =
  | { readonly kind: 'literal'; readonly name: string; readonly value: string }
  | { readonly kind: 'pair'; readonly name: string; readonly variable: string }
  | { readonly kind: 'member'; readonly variable: string; readonly isRepeated: boolean }

interface Model {
  readonly segments: readonly (readonly Part[])[]
  readonly query: readonly Item[]
}

/** Collections begin with `l`. */
const isList = (variable: string) => variable.startsWith('l')
const isVariable = (part: Part | undefined): part is { readonly variable: string } => typeof part === 'object'

const primitives = ['p1', 'p2', 'p3', 'p4', 'p5'] as const
const collections = ['l1', 'l2'] as const
const document = documentOf(...primitives, ...collections.map((name) => `${name}*`))

const literal = fc.constantFrom('a', 'b', 'aa', 'ab', '.', '-', '..')
const shape = fc.record({
  segments: fc.array(
    fc.oneof(
      { weight: 3, arbitrary: fc.array(literal, { maxLength: 1 }) },
      { weight: 3, arbitrary: fc.constant(['{}']) },
      {
        weight: 2,
        arbitrary: fc
          .tuple(
            fc.constantFrom('', 'a', '.'),
            fc.array(literal, { minLength: 1, maxLength: 2 }),
            fc.constantFrom('', 'b', '.'),
          )
          .map(([head, between, tail]) => [head, '{}', ...between.flatMap((text) => [text, '{}']), tail]),
      },
      { weight: 1, arbitrary: fc.tuple(literal).map(([text]) => [text, '{}']) },
    ),
    { minLength: 1, maxLength: 4 },
  ),
  literals: fc.uniqueArray(fc.tuple(fc.constantFrom('m', 'n'), fc.constantFrom('', '1', '2')), { maxLength: 1 }),
  pairs: fc.uniqueArray(fc.constantFrom('q', 'r'), { maxLength: 2 }),
  members: fc.nat(2),
  variables: fc.shuffledSubarray([...primitives, ...collections], {
    minLength: primitives.length + collections.length,
  }),
  areRepeated: fc.boolean(),
})

/** Gives each place of a variable one of its own; what has none is left out. */
const model: fc.Arbitrary<Model> = shape.map(({ segments, literals, pairs, members, variables, areRepeated }) => {
  const left = [...variables]
  const filled = segments
    .map((parts) => parts.filter((part) => part !== ''))
    .filter((parts) => parts.filter((part) => part === '{}').length <= left.length)
    .slice(0, 3)
    .map((parts) => parts.map((part): Part => (part === '{}' ? { variable: left.shift() ?? 'none' } : part)))
    .filter((parts) => !parts.some((part) => isVariable(part) && part.variable === 'none'))
  const take = (count: number) => left.splice(0, count)
  return {
    segments: filled.length > 0 ? filled : [[]],
    query: [
      ...literals.map(([name, value]): Item => ({ kind: 'literal', name, value })),
      ...pairs.flatMap((name) => take(1).map((variable): Item => ({ kind: 'pair', name, variable }))),
      ...take(members).map((variable): Item => {
        return { kind: 'member', variable, isRepeated: areRepeated && isList(variable) }
      }),
    ],
  }
})

function write({ segments, query }: Model): string {
  const path = segments.map((parts) => parts.map((part) => (isVariable(part) ? `{${part.variable}}` : part)).join(''))
  const pairs = query.flatMap((item) => {
    if (item.kind === 'literal') return `${item.name}=${item.value}`
    return item.kind === 'pair' ? `${item.name}={${item.variable}}` : []
  })
  const members = query.flatMap((item) => {
    return item.kind === 'member' ? item.variable + (item.isRepeated ? '*' : '') : []
  })
  const tail = members.length === 0 ? '' : `{${pairs.length > 0 ? '&' : '?'}${members.join(',')}}`
  return `/${path.join('/')}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}${tail}`
}

// The reference: each rule as it is written, every split of a segment tried.

type Pairs = readonly (readonly [string, string])[]
type Texts = Readonly<Record<string, string | readonly string[]>>

function refer(models: readonly Model[], path: readonly string[], query: Pairs) {
  const find = (tried: readonly string[], isAllowed: (model: Model) => boolean) =>
    models
      .map((model, at) => ({
        model,
        index: at + 1,
        texts: isAllowed(model) ? matchAll(model, tried, query) : undefined,
      }))
      .filter(({ texts }) => texts !== undefined)
      .sort((a, b) => compare(a.model, b.model) || a.index - b.index)[0]
  const hasLastValue = ({ segments }: Model) => {
    const last = segments.at(-1)?.at(-1)
    if (!isVariable(last)) return true
    const texts = matchSegment(segments.at(-1) ?? [], path.at(-1) ?? '')
    return texts?.[last.variable] !== ''
  }
  const endsInSlash = ({ segments }: Model) => segments.at(-1)?.length === 0
  const takesSlash = ({ segments }: Model) => path.at(-1) === '' && segments[path.length - 1]?.length !== 0
  return (
    find(path, hasLastValue) ??
    (path.at(-1) === '' ? find(path.slice(0, -1), () => true) : undefined) ??
    find([...path, ''], (model) => endsInSlash(model) && !takesSlash(model)) ??
    find(path, () => true)
  )
}

function matchAll({ segments, query }: Model, path: readonly string[], pairs: Pairs): Texts | undefined {
  if (segments.length !== path.length) return undefined
  const texts: Record<string, string | readonly string[]> = {}
  for (const [at, parts] of segments.entries()) {
    const found = matchSegment(parts, path[at] ?? '')
    if (!found) return undefined
    for (const [name, text] of Object.entries(found)) texts[name] = isList(name) ? splitList(text) : unmark(text)
  }
  for (const item of query) {
    const values = (wanted: string) => pairs.filter(([name]) => name === wanted).map(([, value]) => value)
    if (item.kind === 'literal') {
      if (!values(item.name).includes(item.value)) return undefined
      continue
    }
    const found = values(item.kind === 'pair' ? item.name : item.variable)
    const [first] = found
    if (first === undefined) {
      if (item.kind === 'pair') return undefined
      continue
    }
    const isRepeated = item.kind === 'member' && item.isRepeated
    if (!isList(item.variable)) texts[item.variable] = unmark(first)
    else texts[item.variable] = isRepeated ? found.map(unmark) : splitList(found.join(','))
  }
  return texts
}

/** Stands for a comma that was sent encoded, and separates nothing. */
const dataComma = '\ue000'
const mark = (raw: string) => raw.replace(/%2C/gi, encodeURIComponent(dataComma))
const unmark = (text: string) => text.replaceAll(dataComma, ',')
const splitList = (text: string) => text.split(',').map(unmark)

/** The first way to share out the segment that fits, shorter values being tried first. */
function matchSegment(parts: readonly Part[], segment: string): Record<string, string> | undefined {
  const [part, ...rest] = parts
  if (part === undefined) return segment === '' ? {} : undefined
  if (!isVariable(part)) return segment.startsWith(part) ? matchSegment(rest, segment.slice(part.length)) : undefined
  for (let length = 0; length <= segment.length; length += 1) {
    const found = matchSegment(rest, segment.slice(length))
    if (found) return { [part.variable]: segment.slice(0, length), ...found }
  }
  return undefined
}

function compare(a: Model, b: Model): number {
  const measure = ({ segments, query }: Model) => {
    const inPath = segments.flat().map((part) => (isVariable(part) ? '' : part))
    const inQuery = query.map((item) => {
      if (item.kind === 'member') return ''
      return item.kind === 'literal' ? item.name + item.value : item.name
    })
    return [
      segments.filter((parts) => !parts.some(isVariable)).length,
      [...inPath, ...inQuery].join('').length,
      query.filter(({ kind }) => kind !== 'literal').length,
    ]
  }
  const mine = measure(a)
  return measure(b).reduce((order, value, at) => order || value - (mine[at] ?? 0), 0)
}

// Requests: of random pieces, or a template filled with random values, a slash more or less.

const value = fc.oneof(
  fc.constantFrom('', 'a', 'b', 'ab', 'a.b', '.', 'a-b', 'x,y', 'x;y,', 'Z'),
  fc.string({ maxLength: 4 }),
)
const text = value.filter((one) => one.isWellFormed() && !one.includes('\0'))
const pair = fc.tuple(fc.constantFrom('m', 'n', 'q', 'r', 'p1', 'p2', 'p3', 'l1', 'l2'), text)

/** Semicolons of the generator become raw commas; its commas are sent encoded, in either case. */
const encode = (one: string) => encodeURIComponent(one).replaceAll('%3B', ',').replace('%2C', '%2c')

function requestOf(models: readonly Model[]): fc.Arbitrary<string> {
  const filled = fc
    .tuple(fc.constantFrom(...models), fc.array(text, { minLength: 12, maxLength: 12 }))
    .map(([model, texts]) => {
      const left = [...texts]
      const fill = (part: Part) => (isVariable(part) ? encode(left.pop() ?? '') : part)
      const query = model.query.map((item) => {
        const name = item.kind === 'member' ? item.variable : item.name
        return `${name}=${encode(item.kind === 'literal' ? item.value : (left.pop() ?? ''))}`
      })
      return { path: model.segments.map((parts) => parts.map(fill).join('')).join('/'), query }
    })
  const random = fc.record({
    path: fc.array(text, { maxLength: 4 }).map((segments) => segments.map(encode).join('/')),
    query: fc.constant<string[]>([]),
  })
  const more = fc.array(pair, { maxLength: 2 }).map((pairs) => pairs.map((one) => one.map(encode).join('=')))
  return fc
    .tuple(fc.oneof(filled, filled, random), more, fc.constantFrom('', '', '/', '-'))
    .map(([{ path, query }, pairs, end]) => {
      const wanted = end === '-' ? path.replace(/\/$/, '') : path + end
      const all = [...pairs, ...query]
      return `A.v1${wanted === '' ? '' : `/${wanted}`}${all.length > 0 ? `?${all.join('&')}` : ''}`
    })
}

const operation = fc.array(model, { minLength: 1, maxLength: 4 })
const compile = (models: readonly Model[]) =>
  models.map((one, at) => templateOf(write(one), document, at + 1)).sort(compareSpecificity)

test('1.12, 2.17, 2.18, 2.19, 2.20, 2.23 matching agrees with a naive matcher', () => {
  let matched = 0
  let runs = 0
  fc.assert(
    fc.property(
      operation.chain((models) => fc.tuple(fc.constant(models), requestOf(models))),
      ([models, request]) => {
        const target = targetOf(request)
        const found = matchUriTemplates(compile(models), target)
        const path = target.rawPath.split('/').slice(5).map(mark).map(decodeURIComponent)
        const expected = refer(models, path, [...new URLSearchParams(mark(target.rawQuery ?? ''))])
        assert.equal(found?.template.index, expected?.index)
        if (found) assert.deepEqual(Object.fromEntries(found.texts), expected?.texts)
        runs += 1
        if (found) matched += 1
      },
    ),
    { numRuns: 3000 },
  )
  assert.ok(matched > runs / 4, 'too few requests match for this to show anything')
  assert.ok(matched < runs * 0.95, 'too few requests match nothing for this to show anything')
})

/** The request that a template was made for: values that are in no literal, and no optional member. */
function typicalRequest({ segments, query }: Model): string {
  const path = segments.map((parts) => parts.map((part) => (isVariable(part) ? 'Z' : part)).join(''))
  const required = query.flatMap((item) => {
    if (item.kind === 'member') return []
    return `${item.name}=${item.kind === 'literal' ? item.value : 'Z'}`
  })
  return `A.v1/${path.join('/')}${required.length > 0 ? `?${required.join('&')}` : ''}`
}

test('2.21 of two templates that may coexist each has a request of its own; of two that may not, neither has', () => {
  fc.assert(
    fc.property(
      fc.tuple(model, model).chain((models) => fc.tuple(fc.constant(models), requestOf(models))),
      ([[a, b], request]) => {
        const templates = [templateOf(write(a), document, 1), templateOf(write(b), document, 2)] as const
        const sorted = [...templates].sort(compareSpecificity)
        const winner = (line: string) => matchUriTemplates(sorted, targetOf(line))?.template.index
        if (!sameRequests(...templates)) {
          assert.deepEqual([winner(typicalRequest(a)), winner(typicalRequest(b))], [1, 2])
          return
        }
        const alone = templates.map((template) => matchUriTemplates([template], targetOf(request)) !== undefined)
        assert.equal(alone[0], alone[1])
        assert.equal(winner(typicalRequest(a)), winner(typicalRequest(b)))
      },
    ),
    { numRuns: 2000 },
  )
})

// Values of every type, and the way there and back.

const digits = (most: number) => fc.integer({ min: -most, max: most }).map((number) => number + 0)
const pad = (number: number, length = 2) => String(number).padStart(length, '0')
const date = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((one) => one.toISOString())
const values: Readonly<Record<PrimitiveType, fc.Arbitrary<UriValue>>> = {
  Binary: fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes)),
  Boolean: fc.boolean(),
  Character: text,
  Date: date.map((one) => one.slice(0, 10)),
  DateTime: date.map((one) => one.slice(0, 19)),
  Decimal: fc.oneof(
    fc.tuple(digits(1e15 - 1), fc.nat(20)).map(([number, exponent]) => Number(`${number}e-${exponent}`) + 0),
    fc.bigInt({ min: 10n ** 15n, max: 10n ** 40n }).map((number) => `-${number}.5`),
  ),
  Integer: digits(Number.MAX_SAFE_INTEGER),
  String: fc.oneof(text, fc.string({ unit: 'grapheme' })),
  Text: fc.oneof(text, fc.string({ unit: anyCharacter })),
  Time: fc.tuple(fc.nat(23), fc.nat(59), fc.nat(59)).map((parts) => parts.map((part) => pad(part)).join(':')),
}
const types = fc.constantFrom(...(Object.keys(values) as PrimitiveType[]))

interface Case {
  readonly template: UriTemplate
  readonly document: ReturnType<typeof documentOf>
  readonly given: Readonly<Record<string, UriValue | readonly UriValue[]>>
}

const buildable: fc.Arbitrary<Case> = fc
  .tuple(model, fc.array(types, { minLength: 7, maxLength: 7 }))
  .chain(([one, kinds]) => {
    const names = [...primitives, ...collections]
    const typed = documentOf(
      ...names.map((name, at) => ({ name, type: kinds[at] ?? 'String', isCollection: isList(name) })),
    )
    const template = templateOf(write(one), typed)
    const optional = one.query.flatMap((item) => (item.kind === 'member' ? item.variable : []))
    const given = fc.record(
      Object.fromEntries(
        template.variables.map((name) => {
          const single = values[kinds[names.indexOf(name as (typeof names)[number])] ?? 'String']
          return [name, isList(name) ? fc.array(single, { maxLength: 3 }) : single]
        }),
      ),
      { requiredKeys: template.variables.filter((name) => !optional.includes(name)) },
    )
    return fc.record({ template: fc.constant(template), document: fc.constant(typed), given })
  })

test('2.26 a built URL is read as the same values, and a value that cannot be carried is refused by name', () => {
  let accepted = 0
  let runs = 0
  fc.assert(
    fc.property(buildable, ({ template, document: typed, given }) => {
      runs += 1
      const url = tryBuild(template, given)
      if (url === undefined) return
      accepted += 1
      const raw = `${root}/A.v1${url}`
      const { pathname, search } = new URL(raw, 'http://127.0.0.1') // as clients rewrite it
      const hasDots = template.path.some(({ head, fields }) => fields.length === 0 && /^\.\.?$/.test(head)) // its author's affair
      for (const sent of hasDots ? [raw] : [raw, pathname + search]) {
        const bound = bindUri(parseTarget(sent, 'PSIGW'), { templates: [template], document: typed })
        assert.deepEqual({ ...bound.values }, withoutEmptyLists(given))
      }
    }),
    { numRuns: 3000 },
  )
  assert.ok(accepted > runs / 3, 'too few values are accepted for this to show anything')
})

/** In a URL they are missing values. */
function withoutEmptyLists(given: Case['given']): Case['given'] {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => !Array.isArray(value) || value.length > 0))
}

function tryBuild(template: UriTemplate, given: Case['given']): string | undefined {
  try {
    return buildUri(template, given)
  } catch (error) {
    const { message } = error as Error
    assert.ok(
      template.variables.some((name) => message.includes(` ${name}`)),
      message,
    )
    return undefined
  }
}

test('2.26 values made of letters that occur in no literal are always carried', () => {
  const plain = fc.string({
    unit: fc.constantFrom('u', 'v', ' ', '/', '?', '&', '+', '%', ',', '\u00fc', '\u{1f600}'),
    minLength: 1,
  })
  fc.assert(
    fc.property(model, fc.array(plain, { minLength: 12, maxLength: 12 }), (one, texts) => {
      const template = templateOf(write(one), document)
      const given = Object.fromEntries(
        template.variables.map((name, at) => [name, isList(name) ? texts.slice(at, at + 2) : (texts[at] ?? '')]),
      )
      const bound = bindUri(targetOf(`A.v1${buildUri(template, given)}`), { templates: [template], document })
      assert.deepEqual({ ...bound.values }, given)
    }),
    { numRuns: 1000 },
  )
})
