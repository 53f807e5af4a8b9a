import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildUri } from '../../src/model/uri/build-uri.ts'
import { matchUriTemplates } from '../../src/model/uri/match-uri-template.ts'
import { parseUriTemplate, sameRequests } from '../../src/model/uri/uri-template.ts'
import { bindUri } from '../../src/steps/bind-uri.ts'
import { documentOf, targetOf, templateOf, templatesOf } from '../support/uri.ts'

const document = documentOf('x', 'y', 'id', 'a', 'b', 'parameter1', 'list*')

interface Row {
  readonly title: string
  /** The templates of the operation. */
  readonly of: readonly string[]
  /** What follows `ECHO.v1`. */
  readonly url: string
  /** The index of the template that matches, and its variables; undefined where none does. */
  readonly is?: string
}

const echo = ['echo/{parameter1}', 'echo/?value-to-echo={parameter1}'] as const

const slashes: readonly Row[] = [
  { title: '1.13 echo/v is the path template', of: echo, url: '/echo/v', is: '1 parameter1=v' },
  { title: '1.13 echo/v/ is echo/v', of: echo, url: '/echo/v/', is: '1 parameter1=v' },
  {
    title: '1.13 echo?value-to-echo=v is the query template',
    of: echo,
    url: '/echo?value-to-echo=v',
    is: '2 parameter1=v',
  },
  {
    title: '1.13 echo/?value-to-echo=v is the query template',
    of: echo,
    url: '/echo/?value-to-echo=v',
    is: '2 parameter1=v',
  },
  {
    title: '1.13 echo// with the query is the query template',
    of: echo,
    url: '/echo//?value-to-echo=v',
    is: '2 parameter1=v',
  },
  { title: '1.13 echo/ is the empty string', of: echo, url: '/echo/', is: '1 parameter1=' },
  { title: '1.12 echo// is echo/ with an extra slash', of: echo, url: '/echo//', is: '1 parameter1=' },
  { title: '1.12 echo/// has two slashes too many', of: echo, url: '/echo///' },
  { title: '1.13 echo alone matches nothing', of: echo, url: '/echo' },
  { title: '1.13 nothing after the version is the template /', of: ['/'], url: '', is: '1' },
  { title: '1.13 one slash is the template /', of: ['/'], url: '/', is: '1' },
  { title: '1.13 two slashes are the template /', of: ['/'], url: '//', is: '1' },
  { title: '1.12 three slashes are not the template /', of: ['/'], url: '///' },
  { title: '1.13 two slashes are the template / next to {id}', of: ['{id}', '/'], url: '//', is: '2' },
  { title: '1.13 of name and name/{id}, name/ is the first', of: ['name/{id}', 'name'], url: '/name/', is: '2' },
  { title: '1.12 of name/ and name/{id}, name/ is the first', of: ['name/{id}', 'name/'], url: '/name/', is: '2' },
  { title: '1.12 of name/ and name/{id}, name is the first', of: ['name/{id}', 'name/'], url: '/name', is: '2' },
  { title: '1.12 an added slash creates no value', of: ['name/{id}'], url: '/name' },
  { title: '1.12 an added slash creates no value between two slashes', of: ['name/{id}/'], url: '/name/' },
  { title: '1.12 a slash is added after a value', of: ['name/{id}/'], url: '/name/7', is: '1 id=7' },
  {
    title: '1.12 a path that matches as sent precedes one with a slash removed',
    of: ['a', 'a/'],
    url: '/a/',
    is: '2',
  },
  {
    title: '1.12 a path that matches as sent precedes one with a slash added',
    of: ['a/', 'a'],
    url: '/a',
    is: '2',
  },
  { title: '1.12 a slash is removed before one is added', of: ['x//', 'x'], url: '/x/', is: '2' },
  { title: '1.12 a slash is removed before a last variable is empty', of: ['{a}/{b}', '{a}'], url: '/v/', is: '2 a=v' },
  {
    title: '1.12 a less specific template as sent precedes a more specific one with a slash removed',
    of: ['a/b', '{x}/{y}/'],
    url: '/a/b/',
    is: '2 x=a y=b',
  },
  { title: '1.12 a first variable may be empty as sent', of: ['{a}/{b}'], url: '//v', is: '1 a= b=v' },
  {
    title: '1.6 empty segments within a path are data',
    of: ['LCRT/{a}/{b}/{x}/{id}'],
    url: '/LCRT////5/',
    is: '1 a= b= x= id=5',
  },
  { title: '1.12 the first slash of a template may be left out', of: ['/echo/{x}'], url: '/echo/1', is: '1 x=1' },
  { title: '1.12 a template that is only a query has the path /', of: ['?a={x}'], url: '?a=1', is: '1 x=1' },
]

const segments: readonly Row[] = [
  { title: '1.2 a literal is case-sensitive', of: ['echo/{x}'], url: '/Echo/1' },
  { title: '1.6 an encoded slash does not end a value', of: ['{x}'], url: '/a%2Fb', is: '1 x=a/b' },
  {
    title: '2.16 a literal matches however the request encodes it',
    of: ['café/a b'],
    url: '/%63af%C3%A9/a%20b',
    is: '1',
  },
  { title: '2.16 a literal may be written as in a URL', of: ['a%20b%2Fc'], url: '/a%20b%2Fc', is: '1' },
  { title: '2.18 text and a variable share a segment', of: ['emplid={x}'], url: '/emplid=7', is: '1 x=7' },
  { title: '2.18 the text before a variable must be present', of: ['emplid={x}'], url: '/7' },
  { title: '2.18 the text after a variable must be present', of: ['{x}.json'], url: '/7.xml' },
  { title: '2.18 the last variable extends to the last text', of: ['{x}.json'], url: '/a.json.json', is: '1 x=a.json' },
  {
    title: '2.18 a variable stops at the first text that follows it',
    of: ['{a}.{b}'],
    url: '/1.2.3',
    is: '1 a=1 b=2.3',
  },
  { title: '2.18 texts do not overlap', of: ['{a}aa{b}a'], url: '/aa' },
  { title: '2.18 three variables share a segment', of: ['{a}-{b}-{x}!'], url: '/1--2-3!', is: '1 a=1 b= x=2-3' },
  {
    title: '2.19 a collection in the path is a comma-separated list',
    of: ['{list}'],
    url: '/a,b,,c',
    is: '1 list=["a","b","","c"]',
  },
  {
    title: '2.19 an encoded comma in a list of the path is data',
    of: ['{list}'],
    url: '/Smith%2C%20John,x%2cy,%252C',
    is: '1 list=["Smith, John","x,y","%2C"]',
  },
  {
    title: '2.18, 2.19 an encoded comma in a list within a segment is data, beside other variables',
    of: ['{x},{list};a{y}.json'],
    url: '/%2C1,a%2Cb,%2C,%3Ba,%2C%E2%82%AC.json',
    is: '1 x= list=["1","a,b",",",""] y=,,€',
  },
  {
    title: '1.12, 2.19 an encoded comma in a list before a trailing slash is data',
    of: ['s/{list}'],
    url: '/s/a%2Cb,c/',
    is: '1 list=["a,b","c"]',
  },
  { title: '2.19 a primitive in the path keeps its commas', of: ['{x}'], url: '/a,b', is: '1 x=a,b' },
]

const queries: readonly Row[] = [
  { title: '2.18 a name={var} pair is required', of: ['s?a={x}'], url: '/s' },
  { title: '2.18 a required pair may have an empty value', of: ['s?a={x}'], url: '/s?a=', is: '1 x=' },
  { title: '2.18 a query literal must be present', of: ['s?a={x}&mode=full'], url: '/s?a=1' },
  { title: '2.18 a query literal must be as written', of: ['s?a={x}&mode=full'], url: '/s?a=1&mode=Full' },
  {
    title: '2.18 a query literal may be anywhere, and next to another of its name',
    of: ['s?a={x}&mode=full'],
    url: '/s?mode=brief&mode=full&a=1',
    is: '1 x=1',
  },
  { title: '2.18 a query literal may be a name alone', of: ['s?full'], url: '/s?full', is: '1' },
  { title: '2.19 members of {?…} are optional', of: ['s{?x,y}'], url: '/s?y=2', is: '1 y=2' },
  { title: '2.19 all members of {?…} may be missing', of: ['s{?x,y}'], url: '/s', is: '1' },
  { title: '2.19 members of {&…} are optional', of: ['s?a={x}{&y}'], url: '/s?a=1', is: '1 x=1' },
  { title: '2.19 members of {&…} follow a required pair', of: ['s?a={x}{&y}'], url: '/s?y=2&a=1', is: '1 x=1 y=2' },
  {
    title: '2.19, 2.23 {?list*} receives all values of a repeated name, commas being data',
    of: ['s{?list*}'],
    url: '/s?list=a,b&list=c',
    is: '1 list=["a,b","c"]',
  },
  {
    title: '2.19, 2.23 {?list} of a collection is a comma-separated list, also repeated',
    of: ['s{?list}'],
    url: '/s?list=a,b&list=c',
    is: '1 list=["a","b","c"]',
  },
  {
    title: '2.19 an encoded comma in {?list} is data, in every occurrence',
    of: ['s{?list}'],
    url: '/s?x=%2C&&list=Smith%2C+John,x&l%69st=a%2cb&list',
    is: '1 list=["Smith, John","x","a,b",""]',
  },
  {
    title: '2.19 an encoded comma in a pair of a collection is data',
    of: ['s?id={list}'],
    url: '/s?id=a%2Cb,c',
    is: '1 list=["a,b","c"]',
  },
  {
    title: '2.23 a pair of a collection receives all values',
    of: ['s?id={list}'],
    url: '/s?id=1&id=2',
    is: '1 list=["1","2"]',
  },
  { title: '2.23 of a repeated name a primitive receives the first', of: ['s{?x}'], url: '/s?x=1&x=2', is: '1 x=1' },
  { title: '2.23 in a query + is a space', of: ['s{?x}'], url: '/s?x=a+b%2B', is: '1 x=a b+' },
  {
    title: '2.22 names that no template names never prevent a match',
    of: echo,
    url: '/echo?random=1&value-to-echo=v&&=&random=2',
    is: '2 parameter1=v',
  },
  { title: '2.22 a throw-away parameter does not prevent the template /', of: ['/'], url: '?0.123=', is: '1' },
]

const specificity: readonly Row[] = [
  {
    title: '2.20 more literal segments win',
    of: ['{x}/{y}', '{x}/longest-of-all{y}', 'a/{y}'],
    url: '/a/longest-of-all1',
    is: '3 y=longest-of-all1',
  },
  { title: '2.20 then more literal characters win', of: ['{x}', 'a{x}', 'ab{x}', '{x}c'], url: '/abc', is: '3 x=c' },
  {
    title: '2.20 query literals count as literal characters',
    of: ['s{?x,y,id}', 's?mode=full'],
    url: '/s?mode=full&x=1',
    is: '2',
  },
  {
    title: '2.20 then more query variables win',
    of: ['s?ab={x}', 's?a={x}&b={y}'],
    url: '/s?ab=1&a=2&b=3',
    is: '2 x=2 y=3',
  },
  { title: '2.20 then the lower index wins', of: ['s?b={x}', 's?a={x}'], url: '/s?a=1&b=2', is: '1 x=2' },
  {
    title: '2.20 a more specific template that does not match leaves the call to the next',
    of: ['s?mode=full', 's'],
    url: '/s',
    is: '2',
  },
]

for (const { title, of, url, is } of [...slashes, ...segments, ...queries, ...specificity]) {
  test(title, () => {
    const found = matchUriTemplates(templatesOf(of, document), targetOf(`ECHO.v1${url}`))
    const texts = [...(found?.texts ?? [])].map(([name, text]) => {
      return `${name}=${typeof text === 'string' ? text : JSON.stringify(text)}`
    })
    assert.equal(found && [found.template.index, ...texts].join(' '), is)
  })
}

test('2.18 a hostile path costs no more than its length', () => {
  const templates = templatesOf(['{a}-{b}-{x}-{y}-{id}!', '{a}a{b}aaaa{x}b'], document)
  const request = targetOf(`A.v1/${'-'.repeat(50_000)}${'a'.repeat(50_000)}`)
  for (let round = 0; round < 100; round += 1) assert.equal(matchUriTemplates(templates, request), undefined)
})

test('2.24 a call that no template matches is refused', () => {
  const templates = templatesOf(echo, document)
  const bind = () => bindUri(targetOf('ECHO.v1/other'), { templates, document })
  assert.throws(bind, { code: 'uriNotMatched' })
})

test('2.24 the template / matches no path with anything after it', () => {
  const templates = templatesOf(['/'], undefined)
  assert.equal(bindUri(targetOf('ECHO.v1'), { templates, document: undefined }).uriResourceIndex, 1)
  assert.throws(() => bindUri(targetOf('ECHO.v1/x'), { templates, document: undefined }), { code: 'uriNotMatched' })
})

test('2.25 the index is that of the configuration, in whatever order templates are matched', () => {
  const templates = templatesOf(['{x}', '{x}/{y}', 'literal'], document)
  for (const [request, index] of [
    ['a', 1],
    ['a/b', 2],
    ['literal', 3],
  ] as const)
    assert.equal(bindUri(targetOf(`ECHO.v1/${request}`), { templates, document }).uriResourceIndex, index)
})

const faulty = [
  {
    title: '2.16 a variable that is not an element is an error',
    source: '{nope}',
    message: /the variable nope, but the elements of its document template are x, y/,
  },
  {
    title: '2.16 an element name in another letter case is another element',
    source: '{X}',
    message: /the variable X, but the elements/,
  },
  {
    title: '2.16 a query variable that is not an element is an error',
    source: 's?a={nope}',
    message: /the variable nope/,
  },
  {
    title: '2.16 an optional variable that is not an element is an error',
    source: 's{?x,nope}',
    message: /the variable nope/,
  },
  {
    title: '2.18 two variables with nothing between them are an error',
    source: '{x}{y}',
    message: /nothing between \{x\} and \{y\}/,
  },
  { title: '2.16 a repeated variable is an error', source: '{x}/{x}', message: /the variable x twice/ },
  { title: '2.16 a variable in path and query is an error', source: '{x}{?x}', message: /the variable x twice/ },
  {
    title: '2.18 a repeated query name is an error',
    source: 's?a={x}&a={y}',
    message: /the query name a twice/,
  },
  { title: '2.16 an unclosed brace is an error', source: 'a/{x', message: /an unmatched brace/ },
  { title: '2.16 a brace that was never opened is an error', source: 'a/x}/b', message: /an unmatched brace/ },
  { title: '2.16 a brace within braces is an error', source: '{{x}}', message: /an unmatched brace/ },
  { title: '2.16 a variable without a name is an error', source: '{}', message: /no name in \{\}/ },
  { title: '2.19 {?list*} of a primitive is an error', source: '{?x*}', message: /x is not a collection/ },
  {
    title: '2.19 {&x} without a query before it is an error',
    source: 's{&x}',
    message: /\{&x\} where \{\?x\} belongs/,
  },
  { title: '2.19 a second {?x} is an error', source: 's{?x}{?y}', message: /\{\?y\} where \{&y\} belongs/ },
  { title: '2.19 {?x} after a query is an error', source: 's?a={x}{?y}', message: /\{\?y\} where \{&y\} belongs/ },
  { title: '2.19 other operators of RFC 6570 are an error', source: '{+x}', message: /has \{\+x\}: known are/ },
  { title: '2.19 a prefix modifier is an error', source: '{x:3}', message: /has \{x:3\}: known are/ },
  { title: '2.19 several names in the path are an error', source: '{x,y}', message: /has \{x,y\}: known are/ },
  { title: '2.16 a path after the query is an error', source: 's{?x}/y', message: /misplaced text/ },
  { title: '2.18 an empty query is an error', source: 's?', message: /name=\{variable\} or name=literal/ },
  {
    title: '2.18 text and a variable in a query value are an error',
    source: 's?a=b{x}',
    message: /name=\{variable\} or name=literal/,
  },
  {
    title: '2.16 a literal with invalid percent-encoding is an error',
    source: '100%',
    message: /"100%", which a URL cannot contain/,
  },
  { title: '2.16 a literal with a NUL is an error', source: 'a%00', message: /which a URL cannot contain/ },
  { title: '2.16 a fragment is an error', source: 'a#b', message: /which a URL cannot contain/ },
]
for (const { title, source, message } of faulty) {
  test(title, () => {
    const parsed = parseUriTemplate(source, 1, document, 'operations[0].uriTemplates[0]')
    assert.ok('problems' in parsed)
    assert.equal(parsed.problems.length, 1)
    assert.equal(parsed.problems[0]?.path, 'operations[0].uriTemplates[0]')
    assert.match(parsed.problems[0]?.message ?? '', message)
  })
}

test('2.12 all errors of a template are reported at once', () => {
  const parsed = parseUriTemplate('{nope}/{x}/{x}?a=%zz', 1, document)
  assert.equal('problems' in parsed && parsed.problems.length, 3)
})

test('2.14 a variable without a document template is an error, and a template without variables needs none', () => {
  const parsed = parseUriTemplate('{x}', 1, undefined)
  assert.match('problems' in parsed ? (parsed.problems[0]?.message ?? '') : '', /no document template/)
  assert.ok('template' in parseUriTemplate('a/b?c=d', 1, undefined))
})

test('2.15, 2.16 a template that cannot fill a required element is an error', () => {
  const parsed = parseUriTemplate('{x}', 1, documentOf('x', 'id!'))
  assert.match('problems' in parsed ? (parsed.problems[0]?.message ?? '') : '', /omits \{id\}/)
})

const pairs = [
  { title: '2.21 names of variables do not distinguish templates', a: 'a/{x}', b: 'a/{y}', isSame: true },
  { title: '2.21 kinds of elements do not distinguish templates', a: 'a/{x}', b: 'a/{list}', isSame: true },
  { title: '2.21 the leading slash does not distinguish templates', a: '/a/{x}', b: 'a/{x}', isSame: true },
  { title: '2.21 the encoding of a literal does not distinguish templates', a: 'a b', b: '%61%20b', isSame: true },
  { title: '2.21 optional members do not distinguish templates', a: 'a{?x,y}', b: 'a', isSame: true },
  {
    title: '2.21 the order of the query does not distinguish templates',
    a: 'a?b={x}&c=1',
    b: 'a?c=1&b={y}',
    isSame: true,
  },
  { title: '2.21 mixed segments of the same texts are the same', a: '{x}.{y}', b: '{a}.{b}', isSame: true },
  { title: '2.21 a literal and a variable differ', a: 'a/b', b: 'a/{x}', isSame: false },
  { title: '2.21 a trailing slash differs: the path as sent goes first', a: 'a', b: 'a/', isSame: false },
  { title: '2.21 required names differ', a: 'a?b={x}', b: 'a?c={x}', isSame: false },
  { title: '2.21 a required and an optional pair differ', a: 'a?x={x}', b: 'a{?x}', isSame: false },
  { title: '2.21 a query literal and a variable differ', a: 'a?b=1', b: 'a?b={x}', isSame: false },
  { title: '2.21 query literals differ', a: 'a?b=1', b: 'a?b=2', isSame: false },
  { title: '2.21 texts in a segment differ', a: '{x}.{y}', b: '{x}-{y}', isSame: false },
  { title: '2.21 a slash within a literal differs from one between two', a: 'a%2Fb', b: 'a/b', isSame: false },
]
for (const { title, a, b, isSame } of pairs) {
  test(title, () => assert.equal(sameRequests(templateOf(a, document), templateOf(b, document, 2)), isSame))
}

const everything = documentOf(
  'x',
  'y',
  'list*',
  'number:Integer',
  'amount:Decimal',
  'flag:Boolean',
  'bytes:Binary',
  'numbers:Integer*',
)

const built = [
  { title: '2.26 / builds the root', source: '/', values: {}, url: '/' },
  {
    title: '2.26 a value is encoded',
    source: 'echo/{x}',
    values: { x: 'a b/c?\u00fc%' },
    url: '/echo/a%20b%2Fc%3F%C3%BC%25',
  },
  {
    title: '2.26 characters that are allowed in a segment stay readable',
    source: 'emplid={x}',
    values: { x: 'a:b@c+d' },
    url: '/emplid=a:b@c+d',
  },
  {
    title: '2.26 in a query + is encoded',
    source: 'echo/?value-to-echo={x}',
    values: { x: 'a b+c' },
    url: '/echo/?value-to-echo=a%20b%2Bc',
  },
  {
    title: '2.26 query literals are written',
    source: 's?a={x}&mode=full',
    values: { x: '1' },
    url: '/s?a=1&mode=full',
  },
  {
    title: '2.26 an optional member without a value is left out',
    source: 's{?x,y}',
    values: { y: '2' },
    url: '/s?y=2',
  },
  { title: '2.26 without any value there is no question mark', source: 's{?x,y}', values: { x: undefined }, url: '/s' },
  {
    title: '2.26 a collection is a comma-separated list',
    source: '{list}',
    values: { list: ['a', 'b c'] },
    url: '/a,b%20c',
  },
  {
    title: '2.26 a comma within a value of a comma-separated list is written as data',
    source: '{list}{?numbers,x}',
    values: { list: ['a,b', 'c;'], x: ',' },
    url: '/a%2Cb,c;?x=%2C',
  },
  {
    title: '2.26 an empty list of an optional member is left out',
    source: 's{?list*,x}',
    values: { list: [], x: '1' },
    url: '/s?x=1',
  },
  {
    title: '2.26 a repeated member is written for each value',
    source: 's{?list*}',
    values: { list: ['a,b', ''] },
    url: '/s?list=a%2Cb&list=',
  },
  {
    title: '2.26 numbers, booleans and bytes are written as text',
    source: '{number}/{amount}/{flag}/{bytes}{?numbers}',
    values: { number: -7, amount: 0.0000001, flag: true, bytes: Buffer.from([251, 255]), numbers: [1, 2] },
    url: '/-7/0.0000001/true/-_8?numbers=1,2',
  },
  {
    title: '2.26 a text is sent unchanged',
    source: '{number}/{amount}/{flag}/{bytes}',
    values: { number: '007', amount: '1.50', flag: 'Y', bytes: '+/8=' },
    url: '/007/1.50/Y/+%2F8=',
  },
  { title: '2.26 an empty last value is carried', source: 'name/{x}', values: { x: '' }, url: '/name/' },
]
for (const { title, source, values, url } of built) {
  test(title, () => assert.equal(buildUri(templateOf(source, everything), values), url))
}

const refused = [
  {
    title: '2.26 a value that is missing is refused by name',
    source: '{x}/{y}',
    values: { x: 'a' },
    message: /of y: it is missing/,
  },
  {
    title: '2.26 a required pair that is missing is refused by name',
    source: 's?a={x}',
    values: {},
    message: /of x: it is missing/,
  },
  {
    title: '2.26 a value that the template does not name is refused by name',
    source: '{x}',
    values: { x: 'a', y: 'b' },
    message: /no variable y/,
  },
  {
    title: '2.26 a value that contains its terminating text is refused by name',
    source: '{x}.{y}',
    values: { x: 'a.b', y: 'c' },
    message: /of x: it contains the text that follows it in the template/,
  },
  {
    title: '2.26 a value that forms its terminating text is refused by name',
    source: '{x}--{y}',
    values: { x: 'a-', y: 'b' },
    message: /of x: it contains the text that follows it in the template/,
  },
  {
    title: '2.26 an empty list is refused by name if a value is required',
    source: 's/{list}',
    values: { list: [] },
    message: /of list: an empty list would be read as a missing value/,
  },
  {
    title: '2.26 a list for a primitive is refused by name',
    source: '{x}',
    values: { x: ['a'] },
    message: /of x: it is a list/,
  },
  {
    title: '2.26 a single value for a collection is refused by name',
    source: '{list}',
    values: { list: 'a' },
    message: /of list: it must be a list/,
  },
  { title: '2.26 a NUL is refused by name', source: '{x}', values: { x: 'a\0' }, message: /of x: it has a character/ },
  {
    title: '2.26 half a character is refused by name',
    source: '{x}',
    values: { x: '\ud800' },
    message: /of x: it has a character/,
  },
  {
    title: '2.26 a segment of dots, which clients resolve, is refused by name',
    source: 'a/{x}',
    values: { x: '..' },
    message: /of x: clients resolve/,
  },
  {
    title: '2.26 a value that does not fit its element is refused by name',
    source: '{number}',
    values: { number: 'seven' },
    message: /of number: number must be an Integer/,
  },
  {
    title: '2.26 a number that is not an Integer is refused by name',
    source: '{number}',
    values: { number: 1.5 },
    message: /of number: number must be an Integer/,
  },
  {
    title: '2.26 a number that is not a Decimal is refused by name',
    source: '{amount}',
    values: { amount: 1e21 },
    message: /of amount: amount must be a Decimal/,
  },
  {
    title: '2.26 a number for a Boolean, which is read as a boolean, is refused by name',
    source: '{flag}',
    values: { flag: 1 },
    message: /of flag: it would be read as another value/,
  },
  {
    title: '2.26 a value of no valid type is refused by name',
    source: '{x}',
    values: { x: null as never },
    message: /of x: it is not a string/,
  },
]
for (const { title, source, values, message } of refused) {
  test(title, () => assert.throws(() => buildUri(templateOf(source, everything), values), { message }))
}

test('2.26 a required element needs its value, also in an optional member', () => {
  assert.throws(() => buildUri(templateOf('s{?x}', documentOf('x!')), {}), { message: /of x: it is missing/ })
})

test('2.26 a URL that another template of the operation would win is refused by name', () => {
  const templates = templatesOf(['name/{x}', 'name', 'name/literal'], everything)
  const template = templates.find(({ index }) => index === 1)
  assert.ok(template)
  assert.equal(buildUri(template, { x: 'other' }, templates), '/name/other')
  for (const [x, source] of [
    ['', 'name'],
    ['literal', 'name/literal'],
  ] as const)
    assert.throws(() => buildUri(template, { x }, templates), {
      message: new RegExp(`of x: .* by the URI template ${source}$`),
    })
})
