/** The shapes of JSON in descriptions, and what `ig check` says where there is none (specification 5.21, 4.16, 2.27). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { compileCatalog } from '../../../src/configuration/catalog.ts'
import { parseConfiguration } from '../../../src/configuration/parse-configuration.ts'
import { describeOpenApi } from '../../../src/features/descriptions/openapi.ts'
import { describeWadl } from '../../../src/features/descriptions/wadl.ts'
import type { HandlerClass } from '../../../src/model/handler.ts'
import { findShapelessSchemas } from '../../../src/project/find-handler-warnings.ts'
import type { Project } from '../../../src/project/open-project.ts'
import type { Schema } from '../../../src/sdk.ts'
import { lint } from '../../support/lint.ts'

const settings = {
  gatewayPath: 'PSIGW',
  platformName: 'platform',
  errorStyle: 'standard' as const,
  authorizationServer: undefined,
  jsonInvalidStatus: 400,
}

const person = z.object({
  name: z.string().trim().min(1),
  get reports() {
    return z.array(person).optional()
  },
})

function handlerOf(requestSchema?: Schema, responseSchema?: Schema): HandlerClass {
  return class {
    static requestSchema = requestSchema
    static responseSchema = responseSchema
    onRequest(): never {
      throw new Error('no one calls it')
    }
  }
}

function projectOf(handler: HandlerClass): Pick<Project, 'configuration' | 'handlers'> {
  const parsed = parseConfiguration({
    nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }],
    services: [{ name: 'PEOPLE' }],
    operations: [
      {
        service: 'PEOPLE',
        name: 'HIRE',
        method: 'POST',
        verification: 'Basic',
        unknownParameters: 'refuse',
        responseMessage: { contentType: 'application/json; encoding=UTF-8', httpCode: 201 },
        handler: 'handlers/hire.ts',
      },
    ],
  })
  assert.ok('configuration' in parsed)
  return { ...parsed, handlers: new Map([['handlers/hire.ts', handler]]) }
}

const catalogOf = (handler: HandlerClass) => {
  const { configuration, handlers } = projectOf(handler)
  return compileCatalog(configuration, handlers)
}

test('5.21, 4.16, 2.27 a description has the stated shapes, references within them, and the refusals that follow', async () => {
  const catalog = catalogOf(handlerOf(person, z.object({ id: z.int(), by: person })))
  const document = describeOpenApi(catalog, { settings })
  const post = document.paths['/HIRE.v1']?.post
  assert.deepEqual(post?.requestBody?.content, {
    'application/json': { schema: { $ref: '#/components/schemas/HIRE_POST_v1_request' } },
  })
  assert.match(post?.description ?? '', /Query parameters that it does not name are refused\./)
  const { schemas, responses = {} } = document.components as Record<string, Record<string, { content?: object }>>
  const [, created] = post?.responses['201']?.$ref.split('responses/') ?? []
  assert.deepEqual(responses[created ?? '']?.content, {
    'application/json': { schema: { $ref: '#/components/schemas/HIRE_POST_v1_response' } },
  })
  const text = JSON.stringify(schemas)
  assert.match(text, /"\$ref":"#\/components\/schemas\/HIRE_POST_v1_(?:request|response)[/"]/)
  assert.doesNotMatch(text, /"\$ref":"#(?:"|\/\$defs)|\$schema/)
  const refused = JSON.stringify(responses[post?.responses['400']?.$ref.split('responses/')[1] ?? ''])
  for (const code of ['bodyInvalid', 'uriValueInvalid', 'bodyMalformed']) assert.ok(refused.includes(code), code)
  assert.equal(post?.responses['422']?.$ref, '#/components/responses/422-idempotencyKeyReused')
  assert.match(describeWadl(catalog, { settings, service: 'PEOPLE' }), /bodyInvalid/)
  assert.deepEqual(
    (await lint(document)).filter(({ severity }) => severity === 'error'),
    [],
  )
})

test('5.21 without a schema nothing changes, and one without a shape is described as before', () => {
  const plain = describeOpenApi(catalogOf(handlerOf()), { settings })
  assert.ok(!JSON.stringify(plain).includes('bodyInvalid'))
  assert.deepEqual(plain.paths['/HIRE.v1']?.post?.requestBody?.content, { 'text/xml': { schema: { type: 'string' } } })
  const shapeless = describeOpenApi(catalogOf(handlerOf(without())), { settings })
  assert.deepEqual(shapeless.paths['/HIRE.v1']?.post?.requestBody?.content, {
    'text/xml': { schema: { type: 'string' } },
  })
})

const without = (): Schema => ({ '~standard': { version: 1, vendor: 'plain', validate: (value) => ({ value }) } })

test('5.21 ig check warns about a schema without a shape, and about a value that is not a schema', () => {
  const warned = (handler: HandlerClass) => findShapelessSchemas(projectOf(handler) as Project)
  assert.deepEqual(warned(handlerOf()), [])
  assert.deepEqual(warned(handlerOf(person, person)), [])
  const path = 'operations[0].handler'
  assert.deepEqual(warned(handlerOf(without(), {} as Schema)), [
    {
      path,
      message:
        'names a class whose requestSchema has no shape for descriptions: plain offers no Standard JSON Schema for it',
    },
    { path, message: 'names a class whose responseSchema is not a Standard Schema, so it cannot be used' },
  ])
  const [custom] = warned(handlerOf(z.object({ when: z.date() })))
  assert.match(custom?.message ?? '', /^names a class whose requestSchema has no shape for descriptions: .*Date/)
})
