/** What fields of elements and operations become in a description (specification 2.28 to 2.33, 6.14, 12.6, 12.7, 28.9). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildDocument } from '../../../src/configuration/build-document.ts'
import type { GatewayDefinition } from '../../../src/configuration/configuration.ts'
import { describeOpenApi } from '../../../src/features/descriptions/openapi.ts'
import { findRefusals } from '../../../src/features/descriptions/refusals.ts'
import { describeElement, toSchema } from '../../../src/features/descriptions/schemas.ts'
import { compileDefinition } from '../../support/many-operations.ts'
import { settings } from './described.ts'

// biome-ignore lint/suspicious/noExplicitAny: rows state what the types forbid
type Anything = any

const page = {
  id: { type: 'String', pattern: '[A-Z]+', description: 'Of an employee.', examples: ['ANN'] },
  size: { type: 'Integer', minimum: 1, maximum: 50 },
} as const

function compile(operations: GatewayDefinition['operations'], elements: Anything = page) {
  return compileDefinition({
    nodes: [{ name: 'HERE', isDefaultLocal: true }],
    services: [{ name: 'S' }],
    documents: [{ name: 'D', elements }],
    messages: [{ name: 'PAGE', document: 'D' }],
    operations,
  })
}

function elementOf(element: Anything) {
  const [document] = compile([], { x: element }).configuration.documents
  const built = document && buildDocument(document).elements.get('x')
  assert.ok(built)
  return built
}

const schemas: readonly { title: string; element: Anything; schema: Anything; words: string }[] = [
  {
    title: '2.28, 12.6 bounds are in the description, the narrower of length and bound',
    element: { type: 'Integer', length: 2, minimum: 1, maximum: 1000, description: 'Of a page.', examples: ['20'] },
    schema: { type: 'integer', minimum: 1, maximum: 99, examples: [20] },
    words: 'Integer, at most 2 characters, at least 1, at most 1000. Of a page.',
  },
  {
    title: '2.28, 12.6 a bound that a JSON number cannot state exactly is only in the description',
    element: { type: 'Decimal', maximum: '12345678901234567890.12', examples: ['1.50', '1234567890123456789.1'] },
    schema: { type: 'number', examples: [1.5] },
    words: 'Decimal, at most 12345678901234567890.12.',
  },
  {
    title: '2.33, 12.6 examples are values of the schema',
    element: { type: 'Boolean', examples: ['Y', 'false'] },
    schema: { type: 'boolean', examples: [true, false] },
    words: 'Boolean.',
  },
  {
    title: '2.29, 12.6 a pattern is anchored, as JSON Schema searches',
    element: { type: 'String', pattern: 'a|bc', examples: ['a'] },
    schema: { type: 'string', pattern: '^(?:a|bc)$', examples: ['a'] },
    words: 'String, matching `a|bc`.',
  },
  {
    title: '2.29, 12.6 a pattern that JavaScript reads differently is only in the description',
    element: { type: 'String', pattern: '(?i)[[:alpha:]]+' },
    schema: { type: 'string' },
    words: 'String, matching `(?i)[[:alpha:]]+`.',
  },
]

for (const { title, element, schema, words } of schemas) {
  test(title, () => {
    const built = elementOf(element)
    assert.deepEqual(toSchema({ element: built, list: 'none' }), schema)
    assert.equal(describeElement(built, 'x'), words)
  })
}

test('2.32, 2.33, 12.7 descriptions, examples and deprecations reach OpenAPI', () => {
  const handler = 'handlers/sample.ts'
  const hiring = { service: 'S', name: 'HIRE', method: 'GET', documentTemplate: 'PAGE', handler } as const
  const catalog = compile([
    {
      ...hiring,
      uriTemplates: ['{id}{?size}'],
      deprecated: { since: '2026-12-31', sunset: '2027-06-30T12:00:00Z', successor: 'HIRE_GET.v2' },
    },
    {
      ...hiring,
      alias: 'Hire',
      version: 'v2',
      uriTemplates: ['{id}{?size}', 'all'],
      description: 'One employee',
      requestMessage: { description: 'Nothing.' },
      responseMessage: {
        contentType: 'application/json',
        description: 'The employee.',
        examples: ['{"id":"ANN"}', '{"id":"BOB"}'],
      },
    },
    {
      service: 'S',
      name: 'OLD',
      method: 'POST',
      uriTemplates: ['x'],
      requestMessage: { contentType: 'text/csv', examples: ['a,b\n1,2\n'] },
      deprecated: { since: '2020-01-01', successor: 'https://api.example.com/new' },
      handler,
    },
  ])
  const { paths, components }: Anything = describeOpenApi(catalog, { settings })
  const hire = paths['/Hire.v1/{id}'].get
  assert.equal(hire.deprecated, true)
  assert.match(
    hire.description,
    /Deprecated since 2026-12-31, to be removed on 2027-06-30T12:00:00Z: use `HIRE_GET\.v2` instead\./,
  )
  assert.deepEqual(
    hire.parameters.map(({ description, schema }: { description: string; schema: object }) => ({
      description,
      schema,
    })),
    [
      {
        description: 'String, matching `[A-Z]+`. Of an employee.',
        schema: { type: 'string', pattern: '^(?:[A-Z]+)$', examples: ['ANN'] },
      },
      { description: 'Integer, at least 1, at most 50.', schema: { type: 'integer', minimum: 1, maximum: 50 } },
    ],
  )
  const next = paths['/Hire.v2/{id}'].get
  assert.equal(next.deprecated, undefined)
  const answer = components.responses[next.responses['200'].$ref.split('/').at(-1)]
  assert.match(answer.description, /^The employee\. What the handler answers, as `application\/json`\./)
  assert.deepEqual(answer.content['application/json'].examples, {
    'example-1': { value: { id: 'ANN' } },
    'example-2': { value: { id: 'BOB' } },
  })
  const old = paths['/OLD.v1/x'].post
  assert.deepEqual(old.requestBody.content['text/csv'].examples, { 'example-1': { value: 'a,b\n1,2\n' } })
})

test('6.14 response types are in OpenAPI', () => {
  const responseTypes = ['application/json', 'text/csv']
  const responseMessage = { contentType: 'application/json' }
  const rates = { service: 'S', name: 'RATES', method: 'GET', responseMessage, responseTypes } as const
  const catalog = compile([{ ...rates, handler: 'rates.ts' }])
  const { paths, components }: Anything = describeOpenApi(catalog, { settings })
  const [path = ''] = Object.keys(paths)
  const { $ref } = paths[path].get.responses['200']
  const { content } = components.responses[$ref.split('/').at(-1)]
  assert.deepEqual(Object.keys(content).slice(0, 2), responseTypes)
})

test('28.9, 12.7 an operation with allowed addresses states the refusal of any other', () => {
  const office = { service: 'S', name: 'OFFICE', method: 'GET', allowedAddresses: ['192.0.2.0/24'] } as const
  const operation = compile([{ ...office, handler: 'office.ts' }]).operations.get('OFFICE_GET.v1')
  const refusals = operation && findRefusals(operation, { errorStyle: 'standard' })
  assert.ok(refusals?.some(({ status, codes }) => status === 403 && codes.includes('addressDenied')))
})
