/** Describes the administration API as OpenAPI 3.1, from the table of routes (specification 18.14). */
import { z } from 'zod'
import { isSafe } from '../actions/action.ts'
import { type ProblemCode, problemContentType, problemTable } from '../actions/problem-details.ts'
import { mayDo } from '../actions/roles.ts'
import { named } from '../actions/schemas.ts'
import { strict } from '../actions/strict-input.ts'
import { itemSchemas } from '../configuration/configuration.ts'
import type { Route } from './route.ts'

type Json = Record<string, unknown>

export interface OpenApi {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Json>> } & Json
}

export interface OpenApiOperation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly parameters: readonly Json[]
  readonly requestBody?: Json
  readonly responses: Readonly<Record<string, Json>>
  readonly security: readonly Json[]
}

export function writeOpenApi(routes: readonly Route[], version: string): OpenApi {
  const schemas: Record<string, Json> = {}
  const paths: Record<string, Record<string, OpenApiOperation>> = {}
  for (const item of Object.values(itemSchemas)) toSchema(item, 'input', schemas) // schemas of drafts refer to them
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: writeOperation(route, schemas) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Integration Gateway administration',
      version,
      description:
        'Sign in with POST /api/session and send its csrfToken in x-csrf-token with every change, or send an API token ' +
        'as Authorization: Bearer. To change a resource that has an ETag, send the ETag in If-Match.',
    },
    tags: [...new Set(routes.map(({ tag }) => tag))].map((tag) => ({ name: tag })),
    paths,
    components: {
      schemas: sortKeys({ ...schemas, ProblemDetails: problemDetails }),
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'ig-admin',
          description: 'The name ends in the port; over TLS it starts with __Host-',
        },
        csrf: { type: 'apiKey', in: 'header', name: 'x-csrf-token' },
        token: { type: 'http', scheme: 'bearer' },
      },
    },
  }
}

function writeOperation(route: Route, schemas: Record<string, Json>): OpenApiOperation {
  const { operationId, tag, summary, description, access, method, body, example } = route
  const rights = access === 'public' ? 'Requires no session.' : `Requires the role ${access}: it ${mayDo[access]}.`
  return {
    operationId,
    summary,
    description: [description, rights].filter(Boolean).join('\n\n'),
    tags: [tag],
    parameters: [
      ...writeParameters('path', route.params, schemas),
      ...writeParameters('query', route.query, schemas),
      ...(route.needsIfMatch
        ? [
            {
              name: 'If-Match',
              in: 'header',
              required: true,
              schema: { type: 'string' },
              description: 'The ETag of the resource to change',
            },
          ]
        : []),
    ],
    ...(body && {
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: toSchema(strict(body), 'input', schemas),
            ...(example !== undefined && { example }),
          },
        },
      },
    }),
    responses: writeResponses(route, schemas),
    security:
      route.access === 'public' ? [] : [isSafe(method) ? { session: [] } : { session: [], csrf: [] }, { token: [] }],
  }
}

function writeParameters(
  place: 'path' | 'query',
  schema: z.ZodType | undefined,
  schemas: Record<string, Json>,
): Json[] {
  if (!schema) return []
  const { properties = {}, required = [] } = toSchema(schema, 'input', schemas) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([parameter, { description, ...type }]) => ({
    name: parameter,
    in: place,
    required: place === 'path' || required.includes(parameter),
    ...(description !== undefined && { description }),
    schema: type,
  }))
}

function writeResponses(route: Route, schemas: Record<string, Json>): Record<string, Json> {
  const { answer, streams = [], status = answer || streams.length > 0 ? 200 : 204, hasEtag } = route
  const headers = {
    ...(hasEtag && { ETag: { schema: { type: 'string' }, required: true } }),
    ...(status === 201 && { Location: { schema: { type: 'string' } } }),
  }
  const success: Json = {
    description: status === 204 ? 'Done' : status === 201 ? 'Created' : 'Success',
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(answer && { content: { 'application/json': { schema: toSchema(answer, 'output', schemas) } } }),
    ...(streams.length > 0 && {
      content: Object.fromEntries(streams.map((type) => [type, { schema: { type: 'string' } }])),
    }),
  }
  const byStatus = Map.groupBy(problemsOf(route), (code) => problemTable[code].status)
  const refusals = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([refusal, codes]) => [
      String(refusal),
      {
        description: codes.map((code) => `${code}: ${problemTable[code].title}`).join('; '),
        content: { [problemContentType]: { schema: { $ref: '#/components/schemas/ProblemDetails' } } },
      },
    ])
  return { [status]: success, ...Object.fromEntries(refusals) }
}

function problemsOf(route: Route): ProblemCode[] {
  const { access, method, problems = [], params, needsIfMatch, isGuarded } = route
  const changes = !isSafe(method)
  return [
    ...new Set<ProblemCode>([
      'invalid',
      ...(access === 'public' ? [] : ['unauthenticated' as const, 'roleMissing' as const]),
      ...(changes ? ['originRejected' as const] : []),
      ...(changes && access !== 'public' ? ['csrfRejected' as const] : []),
      ...(params ? ['notFound' as const] : []),
      ...(needsIfMatch ? ['preconditionRequired' as const, 'preconditionFailed' as const] : []),
      ...(route.needsSession ? ['sessionRequired' as const] : []),
      ...(isGuarded ? ['overloaded' as const] : []),
      ...problems,
    ]),
  ]
}

/** Named schemas become components; names of request schemas end in `Input`. */
function toSchema(schema: z.ZodType, io: 'input' | 'output', schemas: Record<string, Json>): Json {
  const json = z.toJSONSchema(schema, {
    io,
    metadata: named,
    unrepresentable: 'any',
    reused: 'inline',
    override({ zodSchema, jsonSchema }) {
      Object.assign(jsonSchema, z.globalRegistry.get(zodSchema))
      delete jsonSchema.readOnly // of the type alone: clients would not send it
    },
  }) as Json
  const { $schema: _, $defs = {}, ...root } = json
  const suffix = io === 'input' ? 'Input' : ''
  const rename = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(rename)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) =>
        key === '$ref' && typeof inner === 'string'
          ? [key, inner.replace(/^#\/\$defs\/(.+)$/, `#/components/schemas/$1${suffix}`)]
          : [key, rename(inner)],
      ),
    )
  }
  for (const [id, definition] of Object.entries($defs as Record<string, Json>))
    schemas[`${id}${suffix}`] = withoutId(rename(definition) as Json)
  const { id } = named.get(schema) ?? {}
  if (id === undefined) return rename(root) as Json
  if (!('$ref' in root)) schemas[`${id}${suffix}`] = withoutId(rename(root) as Json) // a recursive root is in $defs already
  return { $ref: `#/components/schemas/${id}${suffix}` }
}

function withoutId({ id: _, $id: __, ...rest }: Json): Json {
  return rest
}

function sortKeys(record: Record<string, Json>): Record<string, Json> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
}

const problemDetails: Json = {
  type: 'object',
  description: 'An error (RFC 9457)',
  properties: {
    type: { type: 'string', const: 'about:blank' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What happened and what to do' },
    code: { type: 'string', enum: Object.keys(problemTable) },
    problems: {
      type: 'array',
      items: {
        type: 'object',
        properties: { path: { type: 'string' }, message: { type: 'string' } },
        required: ['path', 'message'],
      },
    },
    secondFactor: {
      type: 'object',
      description: 'With secondFactorRequired: for POST /api/session/second-factor',
      properties: {
        ticket: { type: 'string' },
        totp: { type: 'boolean' },
        passkey: { type: 'object', description: 'Options for the browser' },
      },
      required: ['ticket', 'totp'],
    },
    requestId: { type: 'string' },
  },
  required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
}
