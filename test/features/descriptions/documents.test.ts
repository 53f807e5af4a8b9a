/** API descriptions as documents (specification 12.4 to 12.8, 12.10). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Catalog } from '../../../src/configuration/catalog.ts'
import type { DocumentDefinition, GatewayDefinition } from '../../../src/configuration/configuration.ts'
import { describeOpenApi, type OperationDescription } from '../../../src/features/descriptions/openapi.ts'
import type { Parameter } from '../../../src/features/descriptions/parameters.ts'
import { describeWadl } from '../../../src/features/descriptions/wadl.ts'
import type { XmlDocument, XmlElement } from '../../../src/model/content/xml.ts'
import { readXmlDocument } from '../../../src/model/content/xml-reader.ts'
import type { ErrorStyle } from '../../../src/model/operation-terms.ts'
import { readValue } from '../../../src/model/uri/uri-document.ts'
import { type Verification, verificationNames, verificationOf } from '../../../src/model/verification.ts'
import { compileDefinition, defineMany } from '../../support/many-operations.ts'
import { reference, settings } from './described.ts'

type Operations = GatewayDefinition['operations']
type Elements = DocumentDefinition['elements']

/** A catalog of operations named X, by default a GET of v1. */
function catalogOf(
  elements: Readonly<Record<string, Partial<Elements[string]> & Pick<Elements[string], 'type'>>>,
  ...operations: readonly Partial<NonNullable<Operations>[number]>[]
): Catalog {
  return compileDefinition({
    nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }],
    documents: [{ name: 'DOCUMENT', elements }],
    messages: [{ name: 'PARAMETERS', document: 'DOCUMENT' }],
    services: [{ name: 'SERVICE' }],
    operations: operations.map((operation) => ({
      service: 'SERVICE',
      name: 'X',
      method: 'GET',
      ...(operation.uriTemplates?.join().includes('{') ? { documentTemplate: 'PARAMETERS' } : {}),
      handler: 'handlers/x.ts',
      ...operation,
    })),
  })
}

const strings = { a: { type: 'String' }, b: { type: 'String' }, list: { type: 'String', isCollection: true } } as const

function describedPaths(catalog: Catalog): Readonly<Record<string, Readonly<Record<string, OperationDescription>>>> {
  return describeOpenApi(catalog, { settings }).paths as never
}

function parseXml(text: string): Promise<XmlDocument> {
  const pieces = (async function* () {
    yield text
  })()
  return readXmlDocument(pieces, { xmlMaxDepth: 20, xmlMaxAttributes: 20, xmlMaxTextLength: 10_000 })
}

/** `path a required` and so on: name, place, whether it is required. */
function brief({ name, in: place, required, style, explode }: Parameter): string {
  return [
    place,
    name,
    ...(required ? ['required'] : []),
    ...(style ? [style] : []),
    ...(explode ? ['exploded'] : []),
  ].join(' ')
}

test('12.4 services are tags, and the server is the default local node, relative without a base URL', () => {
  const document = describeOpenApi(reference, { settings })
  assert.deepEqual(document.tags, [{ name: 'REFERENCE', description: 'The reference operations' }])
  assert.equal(document.servers[0]?.url, '/PSIGW/RESTListeningConnector/LOCAL_NODE')
  const based = describeOpenApi(reference, { settings, baseUrl: 'https://api.example/' })
  assert.equal(based.servers[0]?.url, 'https://api.example/PSIGW/RESTListeningConnector/LOCAL_NODE')
})

test('12.4, 12.5 the reference operations, one path for each template, each with an id of its own', () => {
  const all = Object.entries(describedPaths(reference)).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, tags }]) => `${method} ${path} ${operationId} ${tags}`),
  )
  assert.deepEqual(all, [
    'get /METADATA.v1 METADATA_GET_v1 REFERENCE',
    'get /METADATA_BASIC.v1 METADATA_BASIC_GET_v1 REFERENCE',
    'get /METADATA_OAUTH2.v1 METADATA_OAUTH2_GET_v1 REFERENCE',
    'post /KEY_VALUE.v1 KEY_VALUE_POST_v1 REFERENCE',
    'get /KEY_VALUE.v1/{key} KEY_VALUE_GET_v1 REFERENCE',
    'put /KEY_VALUE.v1/{key} KEY_VALUE_PUT_v1 REFERENCE',
    'delete /KEY_VALUE.v1/{key} KEY_VALUE_DELETE_v1 REFERENCE',
    'get /ECHO.v1/echo/{parameter1} ECHO_GET_v1 REFERENCE',
    'get /ECHO.v1/echo ECHO_GET_v1_2 REFERENCE',
    'get /CACHED_TIME.v1 CACHED_TIME_GET_v1 REFERENCE',
    'get /PSTOKEN.v1 PSTOKEN_GET_v1 REFERENCE',
    'get /METADATA_TOKEN.v1 METADATA_TOKEN_GET_v1 REFERENCE',
  ])
})

const templates: readonly {
  readonly title: string
  readonly templates: readonly string[]
  readonly path: string
  readonly parameters: readonly string[]
}[] = [
  { title: '12.5 the template / has no parameters', templates: ['/'], path: '/X.v1', parameters: [] },
  {
    title: '12.5 text and variables within a segment',
    templates: ['{a}.{b}/x={list}'],
    path: '/X.v1/{a}.{b}/x={list}',
    parameters: ['path a required', 'path b required', 'path list required simple'],
  },
  {
    title: '12.5 literals are written as a URL has them',
    templates: ['a b/%7Bc%7D/{a}/'],
    path: '/X.v1/a%20b/%7Bc%7D/{a}',
    parameters: ['path a required'],
  },
  {
    title: '12.5 a query pair and a query literal are required, members of {?…} are not',
    templates: ['s/?q={a}&mode=full{&b,list}'],
    path: '/X.v1/s',
    parameters: ['query q required', 'query mode required', 'query b', 'query list form'],
  },
  {
    title: '12.5 an exploded list, and another list',
    templates: ['s{?list*}'],
    path: '/X.v1/s',
    parameters: ['query list form exploded'],
  },
  {
    title: '12.5 templates that differ only in their queries are one path',
    templates: ['s?one={a}&m=1', 's/?two={b}&m=2'],
    path: '/X.v1/s',
    parameters: ['query one', 'query m required', 'query two'],
  },
]

for (const { title, templates: uriTemplates, path, parameters } of templates) {
  test(title, () => {
    const paths = describedPaths(catalogOf(strings, { uriTemplates }))
    assert.deepEqual(Object.keys(paths), [path])
    assert.deepEqual((paths[path]?.get?.parameters ?? []).map(brief), parameters)
  })
}

test('12.5 a parameter of a path that not all templates have says which one has it', () => {
  const { get } =
    describedPaths(catalogOf(strings, { uriTemplates: ['s?one={a}&m=1', 's?two={b}&m=2'] }))['/X.v1/s'] ?? {}
  const [one, m] = get?.parameters ?? []
  assert.equal(one?.description, 'Element `a`: String. Only of the URI template `s?one={a}&m=1`.')
  assert.deepEqual(m?.schema, {
    anyOf: [
      { type: 'string', enum: ['1'] },
      { type: 'string', enum: ['2'] },
    ],
  })
  assert.match(get?.description ?? '', /URI templates `s\?one=\{a\}&m=1` and `s\?two=\{b\}&m=2`/)
})

test('12.5 a trailing slash stays only if it distinguishes two templates of an operation', () => {
  const paths = describedPaths(catalogOf(strings, { uriTemplates: ['name', 'name/', 'other/'] }))
  assert.deepEqual(
    Object.entries(paths).map(([path, { get }]) => `${path} ${get?.operationId}`),
    ['/X.v1/name X_GET_v1', '/X.v1/name/ X_GET_v1_2', '/X.v1/other X_GET_v1_3'],
  )
})

test('12.5 methods of one name use the same name for a path variable', () => {
  const paths = describedPaths(
    catalogOf(strings, { uriTemplates: ['{a}'] }, { method: 'DELETE', uriTemplates: ['{b}'] }),
  )
  assert.deepEqual(Object.keys(paths), ['/X.v1/{a}'])
  const [parameter] = paths['/X.v1/{a}']?.delete?.parameters ?? []
  assert.deepEqual([parameter?.name, parameter?.description], ['a', 'Element `b`: String.'])
})

const values: readonly {
  readonly title: string
  readonly element: Partial<Elements[string]> & Pick<Elements[string], 'type'>
  readonly schema: object
  /** Texts that the schema allows; the gateway must take them. */
  readonly examples: readonly string[]
}[] = [
  {
    title: '12.6 String',
    element: { type: 'String', length: 3 },
    schema: { type: 'string', maxLength: 3 },
    examples: ['abc'],
  },
  { title: '12.6 Boolean', element: { type: 'Boolean' }, schema: { type: 'boolean' }, examples: ['true', 'false'] },
  {
    title: '12.6 Integer',
    element: { type: 'Integer' },
    schema: { type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991 },
    examples: ['-9007199254740991', '9007199254740991'],
  },
  {
    title: '12.6 Integer with a length, which counts the sign',
    element: { type: 'Integer', length: 3 },
    schema: { type: 'integer', minimum: -99, maximum: 999 },
    examples: ['-99', '999'],
  },
  { title: '12.6 Decimal', element: { type: 'Decimal' }, schema: { type: 'number' }, examples: ['-1.5'] },
  {
    title: '12.6 Date',
    element: { type: 'Date' },
    schema: { type: 'string', format: 'date' },
    examples: ['2026-02-28'],
  },
  {
    title: '12.6 DateTime',
    element: { type: 'DateTime' },
    schema: { type: 'string', format: 'date-time' },
    examples: ['2026-02-28T10:11:12Z', '2026-02-28T10:11:12.123+02:00'],
  },
  {
    title: '12.6 Time',
    element: { type: 'Time' },
    schema: { type: 'string', format: 'time' },
    examples: ['10:11:12Z'],
  },
  {
    title: '12.6 Binary',
    element: { type: 'Binary' },
    schema: { type: 'string', contentEncoding: 'base64url' },
    examples: ['aGVsbG8', '_-8'],
  },
  {
    title: '12.6 enumerated values',
    element: { type: 'String', values: ['red', 'green'] },
    schema: { type: 'string', enum: ['red', 'green'] },
    examples: ['red'],
  },
  {
    title: '12.6 enumerated numbers',
    element: { type: 'Integer', values: ['1', '2'] },
    schema: { type: 'integer', enum: [1, 2] },
    examples: ['1'],
  },
  {
    title: '12.6 enumerated numbers that a client would write differently are texts',
    element: { type: 'Integer', values: ['01', '02'] },
    schema: { type: 'string', enum: ['01', '02'] },
    examples: ['01'],
  },
  {
    title: '12.6 a collection whose values cannot contain the separating comma',
    element: { type: 'String', isCollection: true },
    schema: { type: 'array', items: { type: 'string', pattern: '^[^,]*$' } },
    examples: ['a'],
  },
]

for (const { title, element, schema, examples } of values) {
  test(title, () => {
    const catalog = catalogOf({ a: element }, { uriTemplates: ['{a}'] })
    const [parameter] = describedPaths(catalog)['/X.v1/{a}']?.get?.parameters ?? []
    assert.deepEqual(parameter?.schema, schema)
    const compiled = catalog.operations.get('X_GET.v1')?.document?.elements.get('a')
    assert.ok(compiled)
    for (const example of examples) readValue(compiled, example)
  })
}

const securities: readonly {
  readonly title: string
  readonly verification: Verification
  readonly security: object
}[] = [
  { title: '12.7 NONE', verification: 'NONE', security: [{}, { basic: [] }, { bearer: [] }] },
  { title: '12.7 SSL', verification: 'SSL', security: [{}, { basic: [] }, { bearer: [] }] },
  { title: '12.7 Basic', verification: 'Basic', security: [{ basic: [] }] },
  { title: '12.7 BasicSSL', verification: 'BasicSSL', security: [{ basic: [] }] },
  { title: '12.7 OAuth2', verification: 'OAuth2', security: [{ bearer: [] }] },
  { title: '12.7 OAuth2SSL', verification: 'OAuth2SSL', security: [{ bearer: [] }] },
  ...verificationNames
    .filter((name) => verificationOf(name).issuedBy === 'gateway')
    .map((verification) => ({
      title: `12.7, 27.16 ${verification}`,
      verification,
      security: [{ sessionToken: [] }, { sessionTokenCookie: [] }],
    })),
]

for (const { title, verification, security } of securities) {
  test(title, () => {
    const document = describeOpenApi(catalogOf({}, { verification }), { settings })
    const { get } = (document.paths['/X.v1'] ?? {}) as { get?: OperationDescription }
    assert.deepEqual(get?.security, security)
    const used = [...new Set((security as object[]).flatMap((one) => Object.keys(one)))]
    assert.deepEqual(Object.keys((document.components.securitySchemes ?? {}) as object), used)
    assert.equal('403' in (get?.responses ?? {}), verification.endsWith('SSL'))
  })
}

/** Status → media types, and the codes that `ig-refusal` may have. */
function answersOf(catalog: Catalog, path: string, method: string, errorStyle: ErrorStyle): Record<string, string> {
  const document = describeOpenApi(catalog, { settings: { ...settings, errorStyle } })
  const { responses = {} } = (document.paths[path] as Record<string, OperationDescription> | undefined)?.[method] ?? {}
  const components = document.components.responses as Record<string, never>
  return Object.fromEntries(
    Object.entries(responses).map(([status, { $ref }]) => {
      const { content = {}, headers } = components[$ref.split('/').at(-1) ?? ''] as never as {
        content?: object
        headers: Record<string, { schema?: { enum?: readonly string[] } }>
      }
      const codes = headers['ig-refusal']?.schema?.enum ?? []
      return [status, [...Object.keys(content), ...codes].join(' ')]
    }),
  )
}

const problem = 'application/problem+json application/problem+xml'

test('12.7 in the observed style a 200 is also the page of permissionDenied', () => {
  assert.deepEqual(answersOf(reference, '/KEY_VALUE.v1', 'post', 'observed'), {
    '200': 'text/xml text/html permissionDenied',
    '400': `${problem} bodyMalformed idempotencyKeyInvalid`,
    '401': '',
    '409': `${problem} idempotencyKeyInUse`,
    '413': `${problem} bodyTooLarge`,
    '415': `${problem} contentUnsupported`,
    '422': `${problem} idempotencyKeyReused`,
    '431': `${problem} headersTooLarge`,
    '500': `text/xml ${problem} handlerFailed unexpected`,
    '503': `${problem} overloaded`,
    '504': `${problem} handlerTimedOut`,
  })
})

test('12.7 in the standard style it is a 403, for the gateway or for one operation', () => {
  const expected = {
    '200': 'text/xml',
    '400': `${problem} uriMalformed uriValueInvalid`,
    '401': '',
    '403': `${problem} permissionDenied`,
    '404': `${problem} uriNotMatched`,
    '414': `${problem} uriTooLong`,
    '431': `${problem} headersTooLarge`,
    '500': `text/xml ${problem} handlerFailed unexpected`,
    '503': `${problem} overloaded`,
    '504': `${problem} handlerTimedOut`,
  }
  assert.deepEqual(answersOf(reference, '/ECHO.v1/echo', 'get', 'standard'), expected)
  const own = catalogOf(strings, { uriTemplates: ['{a}'], errorStyle: 'standard' })
  assert.deepEqual(answersOf(own, '/X.v1/{a}', 'get', 'observed'), expected)
})

test('12.7 Retry-After is any number of seconds from 1, because each call gets its own', () => {
  const { components } = describeOpenApi(reference, { settings })
  const schemas = Object.values(
    components.responses as Record<string, { headers: Record<string, { schema?: object }> }>,
  )
    .filter(({ headers }) => 'retry-after' in headers)
    .map(({ headers }) => headers['retry-after']?.schema)
  assert.ok(schemas.length > 0)
  for (const schema of schemas) assert.deepEqual(schema, { type: 'integer', minimum: 1 })
})

test('12.7 codes and media types are those of the messages', () => {
  const requestMessage = { contentType: 'Application/JSON; encoding=UTF-8' }
  const responseMessage = { contentType: 'image/png', httpCode: 201 }
  const faultMessage = { contentType: 'text/plain', httpCode: 422 }
  const catalog = catalogOf(
    {},
    { method: 'POST', requestMessage, responseMessage, faultMessage, errorStyle: 'standard' },
  )
  const answers = answersOf(catalog, '/X.v1', 'post', 'observed')
  assert.equal(answers['201'], 'image/png')
  assert.equal(answers['422'], `text/plain ${problem} idempotencyKeyReused`)
  assert.equal('200' in answers, false)
  const body = describedPaths(catalog)['/X.v1']?.post?.requestBody
  assert.deepEqual(body?.content, { 'application/json': { schema: {} } })
})

test('26.8 descriptions list the header Idempotency-Key, required or not, and what marks a repeated answer', async () => {
  const describedAs = async (fields: object) => {
    const catalog = catalogOf({}, { method: 'DELETE', errorStyle: 'standard', ...fields })
    const document = describeOpenApi(catalog, { settings })
    const item = document.paths['/X.v1']?.delete
    const success = (document.components.responses as Record<string, { headers: object }>)[
      item?.responses['200']?.$ref.split('/').at(-1) ?? ''
    ]
    const { root } = await parseXml(
      describeWadl(catalog, { service: 'SERVICE', baseUrl: 'http://127.0.0.1:8080', settings }),
    )
    const param = root.child('resources')?.child('resource')?.child('method')?.child('request')?.child('param')
    const wadl = param && `${param.attributes.style} ${param.attributes.name} ${param.attributes.required}`
    const refusals = answersOf(catalog, '/X.v1', 'delete', 'standard')['400']
    const isMarked = 'ig-idempotent-replay' in (success?.headers ?? {})
    return [
      (item?.parameters ?? []).map(({ name, in: place, required }) => `${place} ${name} ${required}`),
      wadl,
      isMarked,
      refusals,
    ]
  }
  const [invalid, missing] = ['idempotencyKeyInvalid', 'idempotencyKeyMissing']
  const described = (isRequired: boolean, codes: string) => {
    const header = `header Idempotency-Key ${isRequired}`
    return [[header], header, true, `${problem} ${codes}`]
  }
  assert.deepEqual(await describedAs({ verification: 'Basic' }), described(false, invalid))
  const required = { idempotency: 'required' } as const
  assert.deepEqual(await describedAs({ ...required, verification: 'Basic' }), described(true, `${missing} ${invalid}`))
  assert.deepEqual(await describedAs({ ...required, verification: 'NONE' }), described(false, `${missing} ${invalid}`))
  assert.deepEqual(await describedAs({ idempotency: 'off' }), [[], undefined, false, undefined])
})

test('12.8 a WADL document has a resource for each URI template, with its parameters, types and statuses', async () => {
  const { root } = await parseXml(
    describeWadl(reference, { service: 'REFERENCE', baseUrl: 'http://127.0.0.1:8080', settings }),
  )
  assert.deepEqual([root.name, root.attributes.xmlns], ['application', 'http://wadl.dev.java.net/2009/02'])
  const [resources] = root.elements('resources')
  assert.equal(resources?.attributes.base, 'http://127.0.0.1:8080/PSIGW/RESTListeningConnector/LOCAL_NODE/')
  const all = resources?.elements('resource') ?? []
  assert.deepEqual(
    all.map((resource) => [resource.attributes.path, resource.child('method')?.attributes.id].join(' ')),
    [
      'METADATA.v1/ METADATA_GET_v1',
      'METADATA_BASIC.v1/ METADATA_BASIC_GET_v1',
      'METADATA_OAUTH2.v1/ METADATA_OAUTH2_GET_v1',
      'KEY_VALUE.v1/ KEY_VALUE_POST_v1',
      'KEY_VALUE.v1/{key} KEY_VALUE_GET_v1',
      'KEY_VALUE.v1/{key} KEY_VALUE_PUT_v1',
      'KEY_VALUE.v1/{key} KEY_VALUE_DELETE_v1',
      'ECHO.v1/echo/{parameter1} ECHO_GET_v1',
      'ECHO.v1/echo/ ECHO_GET_v1_2',
      'CACHED_TIME.v1/ CACHED_TIME_GET_v1',
      'PSTOKEN.v1/ PSTOKEN_GET_v1',
      'METADATA_TOKEN.v1/ METADATA_TOKEN_GET_v1',
    ],
  )
  const get = all[4] as XmlElement
  assert.deepEqual(
    { ...get.child('param')?.attributes },
    { name: 'key', style: 'template', type: 'xs:string', required: 'true' },
  )
  const query = get.child('method')?.child('request')?.child('param')
  assert.deepEqual(
    { ...query?.attributes },
    { name: 'transaction', style: 'query', type: 'xs:string', required: 'false' },
  )
  const responses = get.child('method')?.elements('response') ?? []
  assert.deepEqual(
    responses.map(({ attributes }) => attributes.status),
    ['200', '400', '401', '404', '414', '431', '500', '503', '504'],
  )
  const types = responses[0]?.elements('representation').map(({ attributes }) => attributes.mediaType)
  assert.deepEqual(types, ['text/xml', 'text/html'])
})

test('12.8 a query literal is fixed, a list repeats, and enumerated values are options', async () => {
  const elements = { a: { type: 'Integer', values: ['1', '2'] }, list: { type: 'Date', isCollection: true } } as const
  const catalog = catalogOf(elements, { method: 'POST', uriTemplates: ['s?mode=full&a={a}{&list*}', '{list}'] })
  const { root } = await parseXml(describeWadl(catalog, { service: 'SERVICE', settings }))
  const [first, second] = root.child('resources')?.elements('resource') ?? []
  const request = first?.child('method')?.child('request')
  const [mode, a, list] = request?.elements('param') ?? []
  assert.deepEqual([mode?.attributes.fixed, mode?.attributes.required], ['full', 'true'])
  assert.deepEqual(
    [a?.attributes.type, a?.elements('option').map(({ attributes }) => attributes.value)],
    ['xs:long', ['1', '2']],
  )
  assert.deepEqual(
    [list?.attributes.type, list?.attributes.repeating, list?.attributes.required],
    ['xs:date', 'true', 'false'],
  )
  assert.equal(request?.child('representation')?.attributes.mediaType, 'text/xml')
  assert.equal(second?.child('param')?.attributes.type, 'xs:string')
})

/** Order and attributes as the schema of WADL has them. */
const wadlChildren: Readonly<Record<string, readonly string[]>> = {
  application: ['doc', 'resources'],
  resources: ['doc', 'resource'],
  resource: ['doc', 'param', 'method'],
  method: ['doc', 'request', 'response'],
  request: ['doc', 'param', 'representation'],
  response: ['doc', 'param', 'representation'],
  param: ['doc', 'option'],
  option: [],
  representation: [],
  doc: [],
}

test('12.8 WADL leaves out what XML cannot represent, and has the rest', async () => {
  const catalog = catalogOf(
    { a: { type: 'String', values: ['fit', 'un\u0001fit'] }, b: { type: 'String' } },
    { uriTemplates: ['x?a={a}&mode=%01', 'y?%01={b}'], description: '\u0001' },
  )
  const { root } = await parseXml(describeWadl(catalog, { service: 'SERVICE', settings }))
  const params = (root.child('resources')?.elements('resource') ?? []).map((resource) =>
    resource
      .child('method')
      ?.child('request')
      ?.elements('param')
      .map((param) => [
        param.attributes.name,
        param.attributes.fixed,
        param.elements('option').map(({ attributes }) => attributes.value),
      ]),
  )
  assert.deepEqual(params, [
    [
      ['a', undefined, ['fit']],
      ['mode', undefined, []],
    ],
    [],
  ])
})

test('12.8 for every configuration WADL has its elements in the order of its schema, and unique ids', async () => {
  const catalog = compileDefinition(defineMany(300))
  const ids: string[] = []
  const check = (element: XmlElement) => {
    const allowed = wadlChildren[element.name]
    assert.ok(allowed, element.name)
    const order = element.elements().map(({ name }) => allowed.indexOf(name))
    assert.ok(!order.includes(-1), `${element.name} has ${element.elements().map(({ name }) => name)}`)
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
    )
    if (element.name === 'method') ids.push(element.attributes.id ?? '')
    element.elements().forEach(check)
  }
  for (const { name } of catalog.configuration.services) {
    check((await parseXml(describeWadl(catalog, { service: name, settings }))).root)
  }
  assert.ok(ids.length > 500)
  assert.equal(new Set(ids).size, ids.length)
})
