/** The configuration as an OpenAPI 3.1 document: all services, or one (specification 12.4 to 12.7). */
import type { Catalog } from '../../configuration/catalog.ts'
import type { Operation } from '../../model/operation.ts'
import { operationIdOf } from '../../model/operation-name.ts'
import type { Method } from '../../model/operation-terms.ts'
import { modeRows, verificationOf } from '../../model/verification.ts'
import type { Settings } from '../../settings.ts'
import { describeParameters, type Parameter } from './parameters.ts'
import { type DescribedPath, describePaths } from './paths.ts'
import { takesBody } from './refusals.ts'
import { type Content, contentOf, headerComponents, openResponses, problemSchema, type Responses } from './responses.ts'
import type { Reference } from './schemas.ts'
import { type Selection, selectOperations } from './select-operations.ts'
import { openShapes, type Shapes } from './shapes.ts'

export interface DescribeOptions extends Selection {
  /** Scheme, host and port that clients use; without it, URLs are relative to the description. */
  readonly baseUrl?: string | undefined
  readonly settings: Pick<Settings, 'gatewayPath' | 'platformName' | 'errorStyle' | 'authorizationServer'> &
    Partial<Pick<Settings, 'jsonInvalidStatus'>>
}

export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: Readonly<Record<string, unknown>>
  readonly servers: readonly { readonly url: string; readonly description: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: Readonly<Record<string, unknown>>
}

export type PathItem = Readonly<Partial<Record<Lowercase<Method>, OperationDescription>>>

export interface OperationDescription {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly deprecated?: true
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly description: string; readonly required: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, Reference>>
}

export function describeOpenApi(catalog: Catalog, options: DescribeOptions): OpenApiDocument {
  const steps = describeSteps(catalog, options)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** The document as text, in pieces: with thousands of operations it takes a while. */
export function* streamOpenApi(catalog: Catalog, options: DescribeOptions): Generator<string> {
  for (const steps = describeSteps(catalog, options); ; yield '') {
    const { done, value } = steps.next()
    if (done) return yield* writePieces(value)
  }
}

function* writePieces({ paths, components, ...head }: OpenApiDocument): Generator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"paths":{`
  let separator = ''
  for (const path in paths) {
    yield `${separator}${JSON.stringify(path)}:${JSON.stringify(paths[path])}`
    separator = ','
  }
  yield `},"components":${JSON.stringify(components)}}`
}

/** One step for each path of an operation. */
function* describeSteps(catalog: Catalog, options: DescribeOptions): Generator<void, OpenApiDocument> {
  const { settings, service } = options
  const operations = selectOperations(catalog, options)
  const summaries = readSummaries(catalog)
  const shapes = openShapes()
  const responses = openResponses(settings, shapes)
  const paths: Record<string, PathItem> = {}
  for (const described of describePaths(operations)) {
    const { operation, path } = described
    const item = describeOperation(described, summaries.get(operation.id), responses, shapes)
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: item }
    yield
  }

  const services = new Set(operations.map((operation) => operation.service))
  return {
    openapi: '3.1.0',
    info: {
      title: service ?? 'Integration gateway',
      version: '1',
      summary: 'Service operations of the active configuration.',
      description: service === undefined ? allServices : describeService(service, catalog),
      license: { name: 'Not stated', identifier: 'LicenseRef-NotStated' }, // linters ask for one; the configuration has none
    },
    servers: [{ url: serverUrl(catalog, options), description: `The default local node, ${catalog.defaultNode}` }],
    tags: [...services].map((name) => ({ name, description: describeService(name, catalog) })),
    paths,
    components: {
      securitySchemes: describeSchemes(operations, catalog, settings),
      headers: operations.length > 0 ? headerComponents(settings.platformName) : {},
      schemas: operations.length > 0 ? { Problem: problemSchema, ...shapes.components } : {},
      responses: responses.components,
    },
  }
}

const allServices = 'The operations of all services.'

/** Up to the node, without a trailing slash. */
export function serverUrl(
  { defaultNode }: Pick<Catalog, 'defaultNode'>,
  { baseUrl = '', settings }: Pick<DescribeOptions, 'baseUrl' | 'settings'>,
): string {
  return `${baseUrl.replace(/\/+$/, '')}/${settings.gatewayPath}/RESTListeningConnector/${defaultNode}`
}

export function describeService(service: string, { configuration }: Pick<Catalog, 'configuration'>): string {
  return configuration.services.find(({ name }) => name === service)?.description ?? `The service ${service}.`
}

/** Operation id → description, if it has one. */
export function readSummaries({ configuration }: Pick<Catalog, 'configuration'>): ReadonlyMap<string, string> {
  return new Map(
    configuration.operations.flatMap((operation) => {
      const { description } = operation
      return description ? [[operationIdOf(operation), description] as const] : []
    }),
  )
}

function describeOperation(
  described: DescribedPath,
  summary: string | undefined,
  responses: Responses,
  shapes: Shapes,
): OperationDescription {
  const { operation, id } = described
  const parameters = describeParameters(described)
  return {
    operationId: id,
    tags: [operation.service],
    summary: summary ?? operation.id.replace('.', ' '),
    description: describeInWords(described),
    ...(operation.statedDeprecation ? { deprecated: true as const } : {}),
    security: describeSecurity(operation),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(takesBody(operation) ? { requestBody: describeBody(operation, shapes) } : {}),
    responses: responses.describe(operation),
  }
}

function describeInWords({ operation, templates }: DescribedPath): string {
  const { id, verification } = operation
  const sources = templates.map(({ source }) => `\`${source}\``)
  const sentences = [
    `Service operation \`${id}\`, URI template${sources.length > 1 ? 's' : ''} ${sources.join(' and ')}.`,
    ...(sources.length > 1 ? ['A request must have all query parameters of one of them.'] : []),
    verificationOf(verification).allowsAnonymous
      ? 'Without credentials it runs as the default user, who may or may not call it.'
      : `Verification: ${verification}.`,
    ...(verificationOf(verification).needsTls ? ['It must be called over TLS.'] : []),
    ...describeDeprecation(operation),
    ...(operation.unknownParameters === 'refuse' ? ['Query parameters that it does not name are refused.'] : []),
  ]
  return sentences.join(' ')
}

function describeDeprecation({ statedDeprecation }: Operation): readonly string[] {
  if (!statedDeprecation) return []
  const { since, sunset, successor } = statedDeprecation
  const end = sunset === undefined ? '' : `, to be removed on ${sunset}`
  return [`Deprecated since ${since}${end}${successor === undefined ? '' : `: use \`${successor}\` instead`}.`]
}

function describeSecurity({ verification }: Operation): OperationDescription['security'] {
  const { allowsAnonymous, takes } = verificationOf(verification)
  const schemes = takes.flatMap((mode) => Object.keys(verificationOf(mode).securitySchemes(undefined)))
  return [...(allowsAnonymous ? [{}] : []), ...schemes.map((scheme) => ({ [scheme]: [] }))]
}

function describeBody(operation: Operation, shapes: Shapes): NonNullable<OperationDescription['requestBody']> {
  const { request } = operation
  const shape = shapes.refer(operation, 'request')
  return {
    description: [
      request.description,
      shape ? 'JSON of this schema.' : `As \`${request.contentType}\`. The handler decodes it.`,
    ]
      .filter(Boolean)
      .join(' '),
    required: true,
    content: contentOf(request, shape),
  }
}

/** Only those that an operation uses. */
function describeSchemes(
  operations: readonly Operation[],
  { configuration }: Pick<Catalog, 'configuration'>,
  { authorizationServer }: DescribeOptions['settings'],
) {
  const app = configuration.oauth2ServiceApps.find(({ name }) => name === authorizationServer)
  const issuer = app?.issuer ?? app?.metadataUrl
  const used = new Set(operations.flatMap(({ verification }) => verificationOf(verification).takes))
  return Object.assign(
    {},
    ...modeRows.filter(({ mode }) => used.has(mode)).map(({ securitySchemes }) => securitySchemes(issuer)),
  )
}
