/** What `ig import` understands of OpenAPI, Swagger and WADL, and what it leaves out with a note (specification 16.6, 16.8, 16.9). */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTestGateway } from 'integration-gateway/testing'
import { openProject } from '../../src/project/open-project.ts'
import { ig, makeProject, serve } from '../support/cli.ts'

const server = { url: 'https://hr.example.com/PSIGW/RESTListeningConnector/PSFT_HR' }

type Parameter = Readonly<Record<string, unknown>>

const ok = { 200: { description: 'ok', content: { 'application/json': { example: { a: 1 } } } } }
const get = (parameters: readonly unknown[] = [], more: object = {}) => ({
  get: { parameters, responses: ok, ...more },
})
const describe = (paths: unknown, more: object = {}) =>
  JSON.stringify({ openapi: '3.1.0', info: { title: 'HR' }, servers: [server], security: [], ...more, paths })

const note = ({ path, message }: { readonly path: string; readonly message: string }) => `${path} ${message}`

async function importText(kind: string, text: string, ...args: readonly string[]) {
  const cwd = makeProject({ 'a.txt': text })
  const { code, stdout, stderr } = await ig(['import', kind, 'a.txt', '--into', 'made', '--json', ...args], { cwd })
  assert.equal(stderr, '')
  const { notices, problems } = JSON.parse(stdout)
  const project = join(cwd, 'made')
  const { operations = [], documents = [] } = existsSync(project) ? (await openProject(project)).configuration : {}
  return {
    code,
    project,
    operations,
    elements: documents.map(({ elements }) =>
      Object.fromEntries(Object.entries(elements).map(([name, { type }]) => [name, type])),
    ),
    templates: operations.flatMap(({ uriTemplates }) => uriTemplates),
    notes: notices.map(note) as string[],
    problems: problems.map(note) as string[],
  }
}

const list = { type: 'array', items: { type: 'integer' } }
const object = { type: 'object', required: ['x'], properties: { x: { type: 'integer' }, y: { type: 'string' } } }
const path = (more: Parameter = {}): Parameter => ({
  name: 'id',
  in: 'path',
  required: true,
  schema: { type: 'integer' },
  ...more,
})
const query = (more: Parameter = {}): Parameter => ({ name: 'ids', in: 'query', required: true, schema: list, ...more })

/** Parameter of the path or the query, its template, a documented URL, and the note. */
const styles: readonly (readonly [string, Parameter, template: string, url: string, note?: string])[] = [
  ['simple', path(), 'a/{id}', '/a/7'],
  ['simple, a list', path({ schema: list }), 'a/{id}', '/a/7,8'],
  [
    'simple, an object',
    path({ schema: object }),
    'a/{id}',
    '/a/x,7,y,8',
    '"id" as one text: object in the style simple',
  ],
  ['label', path({ style: 'label' }), 'a/.{id}', '/a/.7'],
  ['label, a list', path({ style: 'label', schema: list }), 'a/.{id}', '/a/.7,8'],
  [
    'label, an exploded list',
    path({ style: 'label', explode: true, schema: list }),
    'a/{id}',
    '/a/.7.8',
    '"id" as one text: list in the style label',
  ],
  ['matrix', path({ style: 'matrix' }), 'a/;id={id}', '/a/;id=7'],
  ['matrix, a list', path({ style: 'matrix', schema: list }), 'a/;id={id}', '/a/;id=7,8'],
  [
    'matrix, an exploded list',
    path({ style: 'matrix', explode: true, schema: list }),
    'a/{id}',
    '/a/;id=7;id=8',
    '"id" as one text: list in the style matrix',
  ],
  ['form', query({ schema: { type: 'integer' } }), 'a?ids={ids}', '/a?ids=7'],
  ['form, a list', query(), 'a{?ids*}', '/a?ids=7&ids=8'],
  ['form, a list with commas', query({ explode: false }), 'a?ids={ids}', '/a?ids=7,8'],
  ['form, an object', query({ schema: object }), 'a?x={x}{&y}', '/a?x=7&y=8'],
  [
    'form, an object with commas',
    query({ explode: false, schema: object }),
    'a?ids={ids}',
    '/a?ids=x,7',
    '"ids" as one text: object in the style form',
  ],
  [
    'spaceDelimited',
    query({ style: 'spaceDelimited', explode: false }),
    'a?ids={ids}',
    '/a?ids=7%208',
    '"ids" as one text: list in the style spaceDelimited',
  ],
  [
    'pipeDelimited',
    query({ style: 'pipeDelimited', explode: false }),
    'a?ids={ids}',
    '/a?ids=7|8',
    '"ids" as one text: list in the style pipeDelimited',
  ],
  ['deepObject', query({ style: 'deepObject', schema: object }), 'a?ids%5Bx%5D={ids_x}', '/a?ids[x]=7', '"ids[y]"'],
  [
    'with a media type',
    query({ schema: undefined, content: { 'application/json': {} } }),
    'a?ids={ids}',
    '/a?ids=%7B%7D',
    '"ids" as one text: with a media type',
  ],
]
test('16.8 a documented URL matches in every style of parameters, and a note says what is one text', async () => {
  const paths = styles.map(([, parameter], at) => [
    `/S${at}.v1/a${parameter.in === 'path' ? '/{id}' : ''}`,
    get([parameter]),
  ])
  const { project, templates, notes } = await importText('openapi', describe(Object.fromEntries(paths)))
  const serving = serve(['dev', project, '--port', '0'])
  const [, origin = ''] = await serving.until(/(http:\/\/127\.0\.0\.1:[1-9]\d*)/)
  for (const [at, [title, , template, url, lost]] of styles.entries()) {
    assert.ok(templates.includes(template), `${title}: ${template} is not in ${templates.join(' ')}`)
    const { status } = await fetch(`${origin}/PSIGW/RESTListeningConnector/PSFT_HR/S${at}.v1${url}`)
    assert.deepEqual([title, status], [title, 200])
    const own = notes.filter((one) => one.startsWith(`GET /S${at}.v1/`))
    assert.equal(own.length, lost === undefined ? 0 : 1, own.join())
    assert.ok(
      own.every((one) => one.includes(lost ?? '')),
      own.join(),
    )
  }
  await serving.stop()
})

const types: readonly (readonly [schema: object, type: string, note?: RegExp])[] = [
  [{ type: ['integer', 'null'] }, 'Integer'],
  [{ type: 'integer', nullable: true }, 'Integer'],
  [{ oneOf: [{ type: 'null' }, { type: 'integer' }] }, 'Integer'],
  [{ anyOf: [{ $ref: '#/components/schemas/Day' }, { type: 'null' }] }, 'Date'],
  [{ nullable: true, allOf: [{ $ref: '#/components/schemas/Day' }] }, 'Date'],
  [{ type: ['string', 'null'], enum: ['a', null] }, 'String'],
  [{ type: 'null' }, 'String'],
  [{ type: ['integer', 'string'] }, 'String', /takes the parameter "p" as a text: its values have several types/],
  [{ oneOf: [{ type: 'integer' }, { type: 'string' }] }, 'String', /its values have several types/],
  [{ $ref: '#/components/schemas/Loop' }, 'String'],
  [
    { type: 'string', format: 'date', enum: ['yesterday'] },
    'Date',
    /allows any value of "p": "yesterday" is none of its type Date/,
  ],
]
for (const [schema, type, wanted] of types)
  test(`16.8 a parameter of ${JSON.stringify(schema)} is a ${type}${wanted ? ', with a note' : ''}`, async () => {
    const components = {
      schemas: {
        Day: { type: 'string', format: 'date' },
        Loop: { anyOf: [{ $ref: '#/components/schemas/Loop' }, { type: 'null' }] },
      },
    }
    const p = { name: 'p', in: 'query', schema }
    const { elements, notes } = await importText('openapi', describe({ '/A.v1/x': get([p]) }, { components }))
    assert.deepEqual(elements, [{ p: type }])
    if (wanted) assert.match(notes.join(), wanted)
    else assert.deepEqual(notes, [])
  })

test('16.8 a response that may be null is that of its type; of several types the first is, with a note', async () => {
  const answer = (schema: object) => ({ get: { responses: { 200: { content: { 'application/json': { schema } } } } } })
  const { project, notes } = await importText(
    'openapi',
    describe({
      '/A.v1/x': answer({
        oneOf: [{ type: 'null' }, { type: 'object', properties: { a: { type: ['null', 'integer'] } } }],
      }),
      '/B.v1/x': answer({ anyOf: [{ type: 'integer' }, { type: 'string' }] }),
    }),
  )
  const body = (name: string) => JSON.parse(readFileSync(join(project, `fixtures/${name}_GET.v1.json`), 'utf8'))
  assert.deepEqual([body('A'), body('B')], [{ a: 0 }, 0])
  assert.deepEqual(notes, ['GET /B.v1/x may respond with one of several types: the first is the response'])
})

test('16.9 what a template does not have is left out with a note: headers, cookies, callbacks, webhooks, examples elsewhere', async () => {
  const parameters = [
    { name: 'X-Trace', in: 'header' },
    { name: 'Accept', in: 'header' },
    { name: 'sid', in: 'cookie' },
    { in: 'query' },
    { $ref: 'b.yaml#/p' },
  ]
  const examples = { a: { externalValue: 'https://h/a.json' } }
  const responses = { 200: { content: { 'application/json': { examples } } } }
  const { code, notes } = await importText(
    'openapi',
    describe({ '/A.v1/x': get(parameters, { callbacks: {}, responses }) }, { webhooks: {} }),
  )
  assert.equal(code, 0)
  assert.deepEqual(notes, [
    'the document leaves out webhooks',
    'GET /A.v1/x leaves out callbacks',
    'GET /A.v1/x refers to "b.yaml#/p", outside the document: bundle it into one file first',
    'GET /A.v1/x leaves out parameters that are neither in the path nor in the query: "header X-Trace", "cookie sid"',
    'GET /A.v1/x leaves out a parameter of the query without a name',
    'GET /A.v1/x has an example outside the document, "https://h/a.json"',
    'operations get Basic verification in place of the cookie "sid": A.v1 GET',
  ])
})

const nested = (depth: number): object => (depth === 0 ? {} : { properties: { a: nested(depth - 1) } })
const described = {
  '/A.v1/x': {
    options: {},
    get: {
      tags: ['A', 'B', 'C'],
      deprecated: true,
      security: [{ login: ['read'] }],
      'x-other': true,
      parameters: [
        { name: 'q', in: 'query', allowReserved: true, schema: { type: 'string', pattern: '^a' } },
        { name: 'r', in: 'query', schema: { $ref: '#/components/schemas/Text', maxLength: 5 } },
        { name: 'id', in: 'path' },
      ],
      requestBody: { content: { '*/*': {}, 'text/xml': { encoding: {} } } },
      responses: {
        200: {
          headers: { 'X-Total': {} },
          links: {},
          content: { 'application/json': { examples: { a: { value: 1 }, b: { value: 2 } } }, 'text/csv': {} },
        },
        202: {},
        404: {},
        default: {},
      },
    },
  },
  '/B.v1/x': {
    servers: [server, { description: 'none' }],
    get: { parameters: {}, responses: { 200: { content: { 'application/json': { schema: nested(40) } } } } },
  },
  '/C.v1/x': { get: { responses: { 200: { content: { 'application/json': [] } } }, requestBody: { $ref: 5 } } },
}
test('16.9 each member of a description that is not read is in a note with its place', async () => {
  const components = {
    securitySchemes: { login: { type: 'http', scheme: 'bearer' } },
    schemas: { Text: { type: 'string' } },
  }
  const { code, notes } = await importText('openapi', describe(described, { components }))
  assert.equal(code, 0)
  assert.deepEqual(notes, [
    '/A.v1/x leaves out options',
    'GET /A.v1/x leaves out deprecated',
    'GET /A.v1/x is in the service of its first tag, without "B", "C"',
    'GET /A.v1/x parameter "q" leaves out allowReserved',
    'GET /A.v1/x parameter "q" leaves out pattern',
    'GET /A.v1/x leaves out maxLength beside a $ref',
    'GET /A.v1/x leaves out parameters that its path does not have: "id"',
    'GET /A.v1/x does not check the scopes "read"',
    'GET /A.v1/x requestBody has an unusable content type, "*/*": it gets application/json',
    'GET /A.v1/x requestBody is "application/json" only, without "text/xml"',
    'GET /A.v1/x answers 200 only, without "202", "404", "default"',
    'GET /A.v1/x 200 leaves out headers',
    'GET /A.v1/x 200 leaves out links',
    'GET /A.v1/x 200 is "application/json" only, without "text/csv"',
    'GET /A.v1/x responds with the first of its examples only',
    '/B.v1/x servers leaves out a server without a URL',
    'GET /B.v1/x leaves out parameters, which is no list',
    'GET /B.v1/x responds with null where its schema is deeper than 32',
    'GET /C.v1/x has a $ref that is no text',
    'GET /C.v1/x 200 leaves out application/json, which is no object',
  ])
})

test('16.9 paths of one operation with other services or request types are described as the first, with a note', async () => {
  const post = (tag: string, type: string) => ({
    post: { tags: [tag], requestBody: { content: { [type]: {} } }, responses: ok },
  })
  const { operations, notes } = await importText(
    'openapi',
    describe({ '/J.v1/a': post('A', 'application/json'), '/J.v1/b': post('B', 'text/xml') }),
  )
  assert.deepEqual(
    operations.map(({ service, requestMessage }) => `${service} ${requestMessage?.contentType}`),
    ['A application/json'],
  )
  assert.deepEqual(notes, [
    'POST /J.v1/b is described as "A", as POST /J.v1/a, not as "B"',
    'POST /J.v1/b is described as "application/json", as POST /J.v1/a, not as "text/xml"',
  ])
})

test('16.9 each element of WADL that is not read is in a note with its place', async () => {
  const wadl = `<application><grammars/><resources base="${server.url}"><resource path="A.v1/x"><method name="GET">
    <response status="200 206"><param name="X-Total" style="header"/><representation mediaType="*/*"><param name="a" style="query"/></representation><representation mediaType="text/csv"/></response>
    <response status="404"/></method></resource></resources></application>`
  const { notes } = await importText('wadl', wadl, '--open')
  assert.deepEqual(notes, [
    'a.txt leaves out grammars',
    'GET /A.v1/x leaves out param',
    'GET /A.v1/x answers 200 only, without "206", "404"',
    'GET /A.v1/x 200 leaves out param',
    'GET /A.v1/x 200 is its first representation only, without "text/csv"',
    'GET /A.v1/x 200 has an unusable content type, "*/*": it gets application/json',
  ])
})

/** A path that cannot be imported, and why. */
const bad: readonly (readonly [paths: object, note: RegExp])[] = [
  [{ '/B.v1/{a}{b}': get() }, /^GET \/B\.v1\/\{a\}\{b\} is left out: its path has nothing between/],
  [{ '/B.v1/%00': get() }, /is left out: its path has the text "%00"/],
  [{ '/B.v1/\ud800': get() }, /is left out: its path has the text/],
  [
    { '/B.v1/{a}': get(), '/B.v1/{b}': get() },
    /^GET \/B\.v1\/\{b\} is left out: its path matches the same requests as "\{a\}"/,
  ],
  [
    { '/B.v1/x': get([{ name: '', in: 'query', required: true }]) },
    /is left out: its path has "=\{parameter_\}" in its query/,
  ],
  [{ '/B.v1/x': 'x' }, /^\/B\.v1\/x must have an object here/],
  [{ '/B.v1/x': get([null, 3]) }, /^GET \/B\.v1\/x must have an object here/],
]
test('16.9 a path that is no template is left out, and the others of its document are imported', async () => {
  for (const [paths, wanted] of bad) {
    const { code, operations, notes } = await importText('openapi', describe({ '/GOOD.v1/x': get(), ...paths }))
    assert.equal(code, 0)
    assert.ok(operations.some(({ name }) => name === 'GOOD'))
    assert.match(notes.join('\n'), wanted)
  }
})

const merged = `
defaults: &ok { responses: { '200': { description: ok, content: { application/json: { example: { a: 1 } } } } } }
open: &open { security: [] }
openapi: 3.0.3
info: { title: HR, version: '1' }
servers: [{ url: '${server.url}' }]
security: [{ b: [] }]
components: { securitySchemes: { b: { type: http, scheme: basic } } }
paths:
  /A.v1/x: { get: { <<: *ok } }
  /B.v1/x: { get: { <<: [*open, *ok], summary: Both } }
  /C.v1/x: { get: { security: [{ b: [] }], <<: [*open, *ok] } }
`
test('16.8 merge keys of YAML add what a mapping does not have itself', async () => {
  const { operations, project } = await importText('openapi', merged)
  assert.deepEqual(
    operations.map(({ name, verification }) => `${name} ${verification}`),
    ['A Basic', 'B NONE', 'C Basic'],
  )
  assert.deepEqual(JSON.parse(readFileSync(join(project, 'fixtures/B_GET.v1.json'), 'utf8')), { a: 1 })
})

/** Where the base URL ends, and the path. */
const bases = [
  ['https://h/PSIGW/RESTListeningConnector/PSFT_HR/DEPT.v2', '/{id}'],
  ['https://h/PSIGW/RESTListeningConnector/PSFT_HR/', '/DEPT.v2/{id}'],
  ['https://h/PSIGW/RESTListeningConnector', '/PSFT_HR/DEPT.v2/{id}'],
  ['https://h/PSIGW', '/RESTListeningConnector/PSFT_HR/DEPT.v2/{id}'],
  ['https://h', '/PSIGW/RESTListeningConnector/PSFT_HR/DEPT.v2/{id}'],
] as const
for (const [url, at] of bases)
  test(`16.6 the base URL may end anywhere: ${url}`, async () => {
    const wadl = `<application><resources base="${url}"><resource path="${at}"><method name="GET"/></resource></resources></application>`
    for (const [kind, text] of [
      ['openapi', describe({ [at]: get() }, { servers: [{ url }] })],
      ['wadl', wadl],
    ] as const) {
      const { operations, templates, notes, project } = await importText(kind, text, '--open')
      assert.deepEqual(
        [operations.map(({ name, version }) => `${name}.${version}`), templates, notes],
        [['DEPT.v2'], ['{id}'], []],
      )
      const { nodes } = (await openProject(project)).configuration
      assert.equal(nodes[0]?.name, 'PSFT_HR')
    }
  })

for (const [url, at] of bases)
  test(`2.35, 16.6 so it may for an operation without a version: ${url.replace('DEPT.v2', 'dept')}`, async () => {
    const [base, path] = [url, at].map((text) => text.replace('DEPT.v2', 'dept'))
    const text = describe({ [`${path}`]: get() }, { servers: [{ url: base }] })
    const { operations, templates, notes } = await importText('openapi', text, '--open')
    assert.deepEqual(
      [operations.map(({ name, alias, version }) => [name, alias, version]), templates, notes],
      [[['DEPT', 'dept', 'none']], ['{id}'], []],
    )
  })

test('1.14, 2.35, 16.8 a document of Application Services keeps gateway path, node, service, root resources and templates', async () => {
  const url = 'https://hr.example.com/SSCDEV/PSIGW/RESTListeningConnector/PSFT_HR'
  const tagged = { tags: ['ABSENCE_MGMT'] }
  const id = { name: 'requestId', in: 'path', required: true, schema: { type: 'integer' } }
  const paths = {
    '/absence/request/createabsence': { post: { ...tagged, responses: ok } },
    '/absence/request/{requestId}': get([id], tagged),
    '/absence/balances': get([], tagged),
    '/leavetypes': get([], tagged),
  }
  const { operations, notes, project } = await importText('openapi', describe(paths, { servers: [{ url }] }))
  assert.deepEqual(notes, [])
  assert.deepEqual(
    operations.map(({ service, alias, method, version, uriTemplates }) => [
      service,
      method,
      alias,
      version,
      uriTemplates,
    ]),
    [
      ['ABSENCE_MGMT', 'GET', 'absence', 'none', ['request/{requestId}', 'balances']],
      ['ABSENCE_MGMT', 'POST', 'absence', 'none', ['request/createabsence']],
      ['ABSENCE_MGMT', 'GET', 'leavetypes', 'none', ['/']],
    ],
  )
  await using gateway = await openTestGateway({ project })
  const { status, headers } = await gateway.call('GET absence/request/7')
  assert.deepEqual([status, headers['content-type']], [200, 'application/json'])
  const at = '/SSCDEV/PSIGW/RESTListeningConnector/PSFT_HR/absence/request/createabsence'
  assert.equal((await gateway.call(`POST ${at}`)).status, 200)
})

test('2.35, 16.8 other paths without a version get v1, with a note, as names in capitals do below the connector', async () => {
  const text = (url: string, path: string) => describe({ [path]: get() }, { servers: [{ url }] })
  for (const [url, path] of [
    ['https://api.example.com/shop', '/orders/{id}'],
    ['https://api.example.com', '/orders/{id}'],
    [server.url, '/ORDERS/{id}'],
  ] as const) {
    const { operations, notes } = await importText('openapi', text(url, path), '--open')
    assert.deepEqual(
      operations.map(({ version, uriTemplates }) => [version, uriTemplates]),
      [['v1', ['{id}']]],
    )
    assert.match(notes.join(), /is served as \/orders\.v1\//i)
  }
})

const swagger = {
  swagger: '2.0',
  info: { title: 'HR', version: '1' },
  host: 'h',
  basePath: '/PSIGW/RESTListeningConnector/PSFT_HR',
  consumes: ['application/json'],
  produces: ['text/xml'],
  securityDefinitions: { b: { type: 'basic' }, none: null },
  security: [{ b: [] }],
  definitions: { Dept: { type: 'object', properties: { dept: { type: 'string' } } } },
  parameters: {
    body: { name: 'body', in: 'body', schema: { $ref: '#/definitions/Dept' } },
    asOf: { name: 'asOf', in: 'query', type: 'string', format: 'date' },
  },
  responses: { Dept: { description: 'ok', schema: { $ref: '#/definitions/Dept' } } },
  paths: {
    '/DEPT.v1/{dept}': {
      parameters: [{ name: 'dept', in: 'path', required: true, type: 'string' }, { $ref: '#/parameters/asOf' }],
      get: {
        produces: ['application/json'],
        parameters: [
          { name: 'ids', in: 'query', required: true, type: 'array', items: { type: 'integer' } },
          { name: 'tabs', in: 'query', type: 'array', items: { type: 'integer' }, collectionFormat: 'tsv' },
          { name: 'X-Trace', in: 'header', type: 'string' },
          null,
        ],
        responses: { 200: { description: 'ok', examples: { 'application/json': { dept: 'D100' } } }, 400: null },
      },
      post: { parameters: [{ $ref: '#/parameters/body' }], responses: { 201: { $ref: '#/responses/Dept' } } },
      put: null,
    },
    '/UP.v1': {
      post: { consumes: ['multipart/form-data'], parameters: [{ name: 'f', in: 'formData', type: 'file' }] },
    },
    '/x': { $ref: 'b.json' },
  },
}
test('16.8 Swagger 2.0 is converted, with notes on what is lost', async () => {
  const { operations, templates, notes, project } = await importText('openapi', JSON.stringify(swagger))
  assert.deepEqual(
    operations.map(({ name, method, verification, requestMessage, responseMessage }) =>
      [name, method, verification, requestMessage?.contentType, responseMessage?.contentType].join(' '),
    ),
    [
      'DEPT GET Basic text/xml; encoding="UTF-8" application/json',
      'DEPT POST Basic application/json text/xml',
      'UP POST Basic multipart/form-data application/json',
    ],
  )
  assert.equal(templates[0], '{dept}?ids={ids}{&asOf,tabs}')
  assert.deepEqual(JSON.parse(readFileSync(join(project, 'fixtures/DEPT_GET.v1.json'), 'utf8')), { dept: 'D100' })
  assert.deepEqual(notes, [
    'the document leaves out securityDefinitions "none", which is no object',
    'GET /DEPT.v1/{dept} takes the parameter "tabs" as one text: list in the format tsv',
    'GET /DEPT.v1/{dept} leaves out a parameter that has no place (in)',
    'GET /DEPT.v1/{dept} leaves out responses "400", which is no object',
    'GET /DEPT.v1/{dept} leaves out parameters that are neither in the path nor in the query: "header X-Trace"',
    'POST /DEPT.v1/{dept} gets an empty XML body: it has no example that is a text',
    'PUT /DEPT.v1/{dept} is left out: it is no object',
    '/x refers to "b.json", outside the document: bundle it into one file first',
  ])
})

const wadl = `<?xml version="1.0"?>
<w:application xmlns:w="http://wadl.dev.java.net/2009/02">
  <w:doc title="HR"/>
  <w:resources base="${server.url}">
    <w:resource path="DEPT.v1" type="#Dated other.wadl#Other">
      <w:method href="#add"/>
      <w:resource path="{dept}" type="#Item #Dated"><w:param href="#dept"/></w:resource>
    </w:resource>
    <w:resource path="LOOP.v1" type="#Loop"><w:method name="GET"/></w:resource>
    <w:resource path="BAD.v1"><w:method href="#absent"/><w:method name="DELETE"><w:request><w:param name="X-Trace" style="header"/></w:request></w:method></w:resource>
  </w:resources>
  <w:method id="add" name="POST">
    <w:request><w:representation href="#json"/></w:request>
    <w:response status="200 201"><w:representation href="#json"/></w:response>
  </w:method>
  <w:param id="dept" name="dept" style="template" type="xs:int"/>
  <w:param id="asOf" name="asOf" style="query" type="xs:date"/>
  <w:representation id="json" mediaType="application/json"/>
  <w:resource_type id="Dated"><w:param href="#asOf"/></w:resource_type>
  <w:resource_type id="Item">
    <w:method name="GET"><w:response status="200"><w:representation href="#json"/></w:response></w:method>
    <w:resource path="jobs"><w:method name="GET"/></w:resource>
  </w:resource_type>
  <w:resource_type id="Loop"><w:resource path="x" type="#Loop"><w:method name="PUT"/></w:resource></w:resource_type>
</w:application>`
test('16.8 references of WADL lead to methods, resource types, parameters and representations of the document', async () => {
  const { code, operations, notes, elements } = await importText('wadl', wadl)
  assert.equal(code, 0)
  assert.deepEqual(
    operations.map(({ name, method, uriTemplates, requestMessage }) =>
      [name, method, ...uriTemplates, requestMessage?.contentType.replace(/;.*/, '')].join(' '),
    ),
    [
      'BAD DELETE / text/xml',
      'DEPT GET {dept}{?asOf} {dept}/jobs{?asOf} text/xml',
      'DEPT POST /{?asOf} application/json',
      'LOOP GET / text/xml',
    ],
  )
  assert.deepEqual(elements, [{ dept: 'Integer', asOf: 'Date' }, { asOf: 'Date' }])
  assert.deepEqual(
    notes.filter((one) => !one.includes('--open imports')),
    [
      '/DEPT.v1 leaves out a resource_type: it refers to "other.wadl#Other", outside the document',
      'POST /DEPT.v1 answers 200 only, without "201"',
      '/LOOP.v1/x is left out: its types contain each other, or more than 32 others',
      '/BAD.v1 leaves out a method: it refers to "#absent", which does not exist',
      'DELETE /BAD.v1 leaves out the parameter "X-Trace": it is in the "header", not in path or query',
    ],
  )
})

const count = 10_000
const many = <Value>(of: (at: number) => Value) => Array.from({ length: count }, (_, at) => of(at))
const ref = (kind: string, at: number) => ({ $ref: `#/components/${kind}/${kind}${at % count}` })
const named = (kind: string, of: (at: number) => unknown) => Object.fromEntries(many((at) => [`${kind}${at}`, of(at)]))
test('16.8, 16.9 ten thousand references to each other end in a project with notes, or in one clear error', async () => {
  const schemas = named('schemas', (at) => ({
    allOf: [ref('schemas', at + 1), ref('schemas', at + 7)],
    properties: { a: ref('schemas', at * 31), b: ref('schemas', at + 1) },
  }))
  const parameters = named('parameters', (at) => ref('parameters', at + 1))
  const responses = { 200: { content: { 'application/json': { schema: ref('schemas', 0) } } } }
  const document = describe(
    { '/A.v1/x': get([{ name: 'q', in: 'query', schema: ref('schemas', 0) }, ref('parameters', 0)], { responses }) },
    { components: { schemas, parameters } },
  )
  const described = await importText('openapi', document)
  assert.deepEqual([described.code, described.notes.length], [0, 7], described.notes.join('\n'))
  assert.match(described.notes[0] ?? '', /has a reference that leads to itself, or over more than 50 others/)

  const types = many(
    (at) =>
      `<resource_type id="t${at}"><method name="GET"/><resource path="x" type="#t${(at + 1) % count}"/><resource path="y" type="#t${(at + 2) % count}"/></resource_type>`,
  )
  const wadl = `<application><resources base="${server.url}"><resource path="A.v1" type="#t0"/></resources>${types.join('')}</application>`
  const { code, problems } = await importText('wadl', wadl)
  assert.deepEqual(
    [code, problems],
    [1, ['a.txt has more than 200000 resources, methods and parameters where its references lead to them']],
  )

  const yaml = `a: &a { x: 1 }\nb: [${many(() => '*a').join(', ')}]\n`
  assert.deepEqual((await importText('openapi', yaml)).problems, [
    'a.txt is refused: it has more than 1000 aliases of an anchor',
  ])
})

const hostile = '<img src=x>\u001b[31m/../../x'
test('8.8, 16.8 markup, controls and separators in names reach neither the terminal, nor the name of a file, as they are', async () => {
  const p = { name: hostile, in: 'query', required: true, schema: { type: 'string', enum: [hostile, 'b'] } }
  const operation = get([p, { name: hostile, in: 'header' }], {
    tags: [hostile],
    summary: hostile,
    operationId: hostile,
  })
  const xml = hostile.replaceAll('<', '&lt;').replace('\u001b', '&#x9b;')
  const texts = {
    openapi: describe(
      { [`/A.v1/${hostile}`]: operation, [`/${hostile}.v1`]: operation, [hostile]: operation },
      { info: { title: hostile } },
    ),
    wadl: `<application><doc title="${xml}"/><resources base="${server.url}/${xml}"><resource path="${xml}" type="#${xml}"><method name="${xml}"/><method name="GET"><request><param name="${xml}" style="${xml}"/></request></method></resource></resources></application>`,
  }
  for (const [kind, text] of Object.entries(texts)) {
    const cwd = makeProject({ 'a.txt': text })
    const { stdout, stderr } = await ig(['import', kind, 'a.txt', '--into', 'made', '--open'], { cwd })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    assert.doesNotMatch(stdout + stderr, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
    assert.deepEqual(readdirSync(cwd).sort(), ['a.txt', 'made', 'node_modules', 'package.json'])
    const files = readdirSync(join(cwd, 'made'), { recursive: true, encoding: 'utf8' })
    assert.ok(
      files.every((file) => /^(?:fixtures\/)?[\w.]+$/.test(file)),
      files.join(' '),
    )
  }
})

test('16.9 notes of descriptions are errors with --strict, and nothing is written', async () => {
  const { code, project, problems } = await importText('openapi', JSON.stringify(swagger), '--strict')
  assert.deepEqual([code, problems.length, existsSync(project)], [1, 8, false])
})
