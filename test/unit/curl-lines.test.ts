/** The curl lines of `ig dev` for projects other than the reference project, and its moved issuer (specification 9.15, 9.16). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { compileCatalog } from '../../src/configuration/catalog.ts'
import type { GatewayDefinition } from '../../src/configuration/configuration.ts'
import { parseConfiguration } from '../../src/configuration/parse-configuration.ts'
import { sampleBody } from '../../src/model/content/sample-body.ts'
import type { Schema } from '../../src/model/content/standard-schema.ts'
import type { Handler, HandlerClass } from '../../src/model/handler.ts'
import type { Operator } from '../../src/model/operator.ts'
import { type CurlOptions, writeCurlLines } from '../../src/serve/development/curl-lines.ts'
import { moveSampleIssuer, usesSampleIssuer } from '../../src/serve/development/move-sample-issuer.ts'

type OperationDefinition = NonNullable<GatewayDefinition['operations']>[number]

function parse(definition: GatewayDefinition) {
  const parsed = parseConfiguration(definition)
  if ('configuration' in parsed) return parsed.configuration
  return assert.fail(JSON.stringify(parsed.problems))
}

function catalogOf(operation: Partial<OperationDefinition>) {
  const configuration = parse({
    nodes: [{ name: 'N', isDefaultLocal: true }],
    documents: [
      {
        name: 'D',
        elements: {
          text: { type: 'String', length: 3 },
          count: { type: 'Integer' },
          day: { type: 'Date' },
          colour: { type: 'String', values: ['deep red', 'blue'] },
          list: { type: 'Integer', isCollection: true },
          page: { type: 'Integer' },
          flag: { type: 'Boolean', isRequired: true },
          code: { type: 'String', pattern: '[0-9]{6}', examples: ['100001'] },
          share: { type: 'Decimal', minimum: '10', maximum: '20' },
          few: { type: 'Integer', maximum: 0 },
        },
      },
    ],
    messages: [{ name: 'M', document: 'D' }],
    services: [{ name: 'S' }],
    operations: [{ service: 'S', name: 'OP', method: 'GET', documentTemplate: 'M', handler: 'h.ts', ...operation }],
    permissionLists: [{ name: 'ALL', services: ['S'] }],
  })
  return compileCatalog(configuration, new Map([['h.ts', class {} as HandlerClass]]))
}

const samples = [
  {
    id: 'IDLE',
    password: 'a',
    clientSecret: 'b',
    email: 'idle@example.com',
    description: '',
    isLocked: false,
    permissionLists: [],
  },
  {
    id: 'BUSY',
    password: "it's",
    clientSecret: 'secret',
    email: 'busy@example.com',
    description: '',
    isLocked: false,
    permissionLists: ['ALL'],
  },
]
const operators = new Map(
  samples.map((sample) => [sample.id, { ...sample, passwordHash: undefined, emails: [] } as Operator]),
)

function curl(operation: Partial<OperationDefinition>, options: Partial<CurlOptions> = {}): readonly string[] {
  const examples = writeCurlLines({
    operations: catalogOf(operation).operations.values(),
    base: 'http://h/N',
    secureBase: undefined,
    anonymous: operators.get('BUSY'),
    operators,
    samples,
    tokenEndpoint: 'http://i/token',
    ...options,
  })
  return examples.map(({ line }) => line)
}

interface CurlRow {
  readonly title: string
  readonly operation: Partial<OperationDefinition>
  readonly options?: Partial<CurlOptions>
  readonly lines: readonly string[]
}

const blank = { documentTemplate: undefined } as const
const rows: readonly CurlRow[] = [
  {
    title: '9.15 values of each type fill a template',
    operation: { uriTemplates: ['{text}/{count}/{day}/{colour}?flag={flag}'] },
    lines: ["curl 'http://h/N/OP.v1/hel/1/2026-01-31/deep%20red?flag=true'"],
  },
  {
    title: '9.15 a collection gets one value, optional parameters none, required ones theirs',
    operation: { uriTemplates: ['x/{list}{?page,flag}'] },
    lines: ["curl 'http://h/N/OP.v1/x/1?flag=true'"],
  },
  {
    title: '9.15 the value of an element is its own example, or within its bounds',
    operation: { uriTemplates: ['x/{code}/{share}/{few}?flag={flag}'] },
    lines: ["curl 'http://h/N/OP.v1/x/100001/10/0?flag=true'"],
  },
  {
    title: '9.15 every template has a line',
    operation: { uriTemplates: ['b/{count}?flag={flag}', 'a?flag={flag}'] },
    lines: ["curl 'http://h/N/OP.v1/b/1?flag=true'", "curl 'http://h/N/OP.v1/a?flag=true'"],
  },
  {
    title: '9.15 the URL has alias and version',
    operation: { ...blank, alias: 'Op-1', version: 'v2' },
    lines: ['curl http://h/N/Op-1.v2/'],
  },
  {
    title: '9.15 a sample operator that may call is chosen, and its password quoted',
    operation: { ...blank, verification: 'Basic' },
    lines: ["curl -u 'BUSY:it'\\''s' http://h/N/OP.v1/"],
  },
  {
    title: '9.15 where the default user may not call, an operator is named',
    operation: blank,
    options: { anonymous: operators.get('IDLE') },
    lines: ["curl -u 'BUSY:it'\\''s' http://h/N/OP.v1/"],
  },
  {
    title: '9.15 without sample operators there are placeholders',
    operation: { ...blank, verification: 'Basic' },
    options: { samples: [] },
    lines: ['curl -u OPERATOR:PASSWORD http://h/N/OP.v1/'],
  },
  {
    title: '9.15 a token is fetched from the sample issuer',
    operation: { ...blank, verification: 'OAuth2' },
    lines: [
      `curl -H "Authorization: Bearer $(curl -s -u BUSY:secret -d grant_type=client_credentials http://i/token | grep -o 'eyJ[^"]*')" http://h/N/OP.v1/`,
    ],
  },
  {
    title: '9.15 without a sample issuer the token is a placeholder',
    operation: { ...blank, verification: 'OAuth2' },
    options: { tokenEndpoint: undefined },
    lines: ['curl -H "Authorization: Bearer $TOKEN" http://h/N/OP.v1/'],
  },
  {
    title: '9.15 a body is small and of the request message',
    operation: { ...blank, method: 'PATCH', requestMessage: { contentType: 'application/json; encoding=UTF-8' } },
    lines: [`curl -X PATCH -H 'Content-Type: application/json' -d '{"key":"hello","value":"world"}' http://h/N/OP.v1/`],
  },
  {
    title: '9.15 a body is the example of the request message, if there is one',
    operation: {
      ...blank,
      method: 'POST',
      requestMessage: { contentType: 'application/json', examples: ['{"a":1}', '{}'] },
    },
    lines: [`curl -H 'Content-Type: application/json' -d '{"a":1}' http://h/N/OP.v1/`],
  },
  {
    title: '9.15 text has a text, and other content a placeholder',
    operation: { ...blank, method: 'POST', requestMessage: { contentType: 'text/plain' } },
    lines: ["curl -H 'Content-Type: text/plain' -d hello http://h/N/OP.v1/"],
  },
  {
    title: '9.15 bytes come from a file',
    operation: { ...blank, method: 'PUT', requestMessage: { contentType: 'image/png' } },
    lines: ["curl -X PUT -H 'Content-Type: image/png' --data-binary @FILE http://h/N/OP.v1/"],
  },
  {
    title: '9.15 HEAD is requested as HEAD',
    operation: { ...blank, method: 'HEAD' },
    lines: ['curl --head http://h/N/OP.v1/'],
  },
  {
    title: '9.15 an operation over TLS has a line if the gateway listens over TLS',
    operation: { ...blank, verification: 'SSL' },
    options: { secureBase: 'https://h/N' },
    lines: ['curl --insecure https://h/N/OP.v1/'],
  },
  {
    title: '9.15 an operation over TLS has no line if the gateway does not',
    operation: { ...blank, verification: 'BasicSSL' },
    lines: [],
  },
]
for (const { title, operation, options, lines } of rows) {
  test(title, () => assert.deepEqual(curl(operation, options), lines))
}

function stating(requestSchema: Schema): HandlerClass {
  class Stating implements Handler {
    static requestSchema = requestSchema
    onRequest(): never {
      assert.fail()
    }
  }
  return Stating
}

test('9.15 a body is of the shape that the handler states, and valid', () => {
  const schema = z.strictObject({
    name: z.string().min(7).max(9),
    letter: z.string().max(1),
    email: z.email(),
    starts: z.iso.date(),
    at: z.iso.datetime(),
    id: z.uuid(),
    code: z
      .string()
      .regex(/^\d{6}$/)
      .meta({ examples: ['100001'] }),
    size: z.enum(['S', 'M']),
    kind: z.literal('hat'),
    price: z.number().positive(),
    rest: z.number().lt(0),
    count: z.int().min(12).multipleOf(5),
    tags: z.array(z.string()).min(2),
    pair: z.tuple([z.boolean(), z.null()]),
    either: z.union([z.number().min(3), z.string()]),
    both: z.intersection(z.object({ a: z.int() }), z.object({ b: z.int().nullable() })),
    inner: z.object({ deep: z.boolean(), left: z.string().optional() }),
    any: z.unknown(),
    note: z.string().default('none'),
  })
  const handler = stating(schema)
  const request = { kind: 'nonRowset', contentType: 'text/xml; encoding="UTF-8"', httpCode: 200 } as const
  const { mediaType, text = '' } = sampleBody({ request, handler })
  assert.equal(mediaType, 'application/json')
  const body = JSON.parse(text)
  assert.deepEqual(
    [schema.safeParse(body).error?.issues, Object.keys(body.inner), body.note],
    [undefined, ['deep'], undefined],
  )
})

test('9.15 a body of a shape within itself ends', () => {
  const tree = z.object({
    get children() {
      return z.array(tree)
    },
  })
  const handler = stating(tree)
  const request = { kind: 'nonRowset', contentType: 'application/vnd.tree+json', httpCode: 200 } as const
  const { mediaType, text = '' } = sampleBody({ request, handler })
  assert.equal(mediaType, 'application/vnd.tree+json')
  assert.deepEqual(tree.safeParse(JSON.parse(text)).error?.issues, undefined)
})

test('9.15, 9.16 with another port of the sample issuer its registration changes, and nothing else', () => {
  const issuer = 'http://127.0.0.1:8090'
  const configuration = parse({
    nodes: [{ name: 'N', isDefaultLocal: true }],
    oauth2ServiceApps: [app('SAMPLE', issuer), app('OTHER', 'http://127.0.0.1:8091')],
  })
  const moved = moveSampleIssuer({ configuration, settings: { jsonWebKey: `${issuer}/jwks` } }, 'http://127.0.0.1:1234')
  const [sample, other] = moved.configuration.oauth2ServiceApps
  assert.deepEqual([sample?.issuer, sample?.tokenEndpoint], ['http://127.0.0.1:1234', 'http://127.0.0.1:1234/token'])
  assert.deepEqual([other?.issuer, other?.tokenEndpoint], ['http://127.0.0.1:8091', 'http://127.0.0.1:8091/token'])
  assert.equal(moved.settings.jsonWebKey, 'http://127.0.0.1:1234/jwks')
  assert.ok(usesSampleIssuer(configuration))
  assert.ok(!usesSampleIssuer({ ...configuration, oauth2ServiceApps: configuration.oauth2ServiceApps.slice(1) }))
})

function app(name: string, issuer: string) {
  return { name, issuer, authorizationEndpoint: `${issuer}/auth`, tokenEndpoint: `${issuer}/token` }
}
