/** OpenAPI 3.0 and 3.1 as operations that respond with its examples (specification 16.8). */
import type { Method } from '../model/operation-terms.ts'
import type { Problem } from '../model/problem.ts'
import { type DescribedMethod, findDescribed, pathOf } from './described.ts'
import type { Found } from './found.ts'
import { asList, asObject, type Json, openReferences, type References } from './json-reference.ts'
import { readParameters } from './openapi-parameters.ts'
import { connector } from './place-url.ts'
import { isPostman } from './postman.ts'
import { readContentType } from './recording.ts'
import { type Examples, isXmlType, writeExample } from './schema-example.ts'
import { findStrictest, weakestFirst, withTls } from './verification.ts'

export type Imported = Found & { readonly problems: readonly Problem[] }

export function importOpenApi(input: unknown): Imported {
  const problem = findVersionProblem(input)
  if (problem) return { operations: [], nodes: [], gatewayPath: undefined, notices: [], problems: [problem] }
  const document = input as Json
  const notices: Problem[] = []
  const base = readServers(document.servers, 'servers', notices) ?? ''
  const references = openReferences(document, notices)
  const reader: Reader = { document, base, references, examples: { references, left: maxBodies }, notices }
  if (document.webhooks !== undefined)
    references.note('webhooks', 'are left out: the document describes them, not paths')
  const described = Object.entries(asObject(document.paths)).flatMap(([path, item]) => readPath(path, item, reader))
  const found = findDescribed(described)
  const isEmpty = found.operations.length === 0
  const problems = isEmpty ? [{ path: 'paths', message: 'has no operations that can be imported' }] : []
  return { ...found, notices: [...notices, ...found.notices], problems }
}

function findVersionProblem(input: unknown): Problem | undefined {
  const { openapi, swagger } = asObject(input)
  if (isPostman(input)) return { path: 'info', message: 'is that of a Postman collection: use ig import postman' }
  if (swagger !== undefined)
    return { path: 'swagger', message: `is ${String(swagger)}: supported are Swagger 2.0, OpenAPI 3.0 and 3.1` }
  if (typeof openapi !== 'string') return { path: 'openapi', message: 'is missing: this is not an OpenAPI document' }
  return /^3\.[01](?:\.|$)/.test(openapi)
    ? undefined
    : { path: 'openapi', message: `is ${openapi}: supported are Swagger 2.0, OpenAPI 3.0 and 3.1` }
}

/** The first that has the form of the original's URLs, else the first. */
function readServers(servers: unknown, place: string, notices: Problem[]): string | undefined {
  const urls = asList(servers).map((one) => readServer(asObject(one)))
  const used = urls.find((url) => url.split('/').includes(connector)) ?? urls[0]
  const others = urls.filter((url) => pathOf(url) !== pathOf(used ?? ''))
  if (others.length > 0)
    notices.push({
      path: place,
      message: `has ${used}, which is used, and others, which are not: ${others.join(', ')}`,
    })
  return used
}

/** With the defaults of its variables. */
function readServer({ url = '', variables }: Json): string {
  return String(url).replace(/\{([^{}]*)\}/g, (whole, name: string) => {
    return String(asObject(asObject(variables)[name]).default ?? whole)
  })
}

/** Characters of the bodies of all responses. */
const maxBodies = 64 * 1024 * 1024

interface Reader {
  readonly document: Json
  readonly base: string
  readonly references: References
  readonly examples: Examples
  readonly notices: Problem[]
}

const verbs: Readonly<Record<string, Method>> = {
  get: 'GET',
  post: 'POST',
  put: 'PUT',
  delete: 'DELETE',
  patch: 'PATCH',
  head: 'HEAD',
}

function readPath(path: string, given: unknown, reader: Reader): readonly DescribedMethod[] {
  const { references, notices } = reader
  if (!path.startsWith('/') || path.includes('?')) {
    notices.push({
      path: `paths[${JSON.stringify(path)}]`,
      message: 'is left out: a path begins with a slash and has no query',
    })
    return []
  }
  const item = references.follow(given, path)
  for (const verb of ['options', 'trace']) {
    if (item[verb] !== undefined)
      notices.push({
        path: `${verb.toUpperCase()} ${path}`,
        message: 'is left out: operations cannot have this method',
      })
  }
  const base = readServers(item.servers, `${path} servers`, notices) ?? reader.base
  return Object.entries(verbs).flatMap(([verb, method]) => {
    if (item[verb] === undefined) return []
    if (asObject(item[verb]) !== item[verb]) {
      notices.push({ path: `${method} ${path}`, message: 'is left out: it is no object' })
      return []
    }
    const operation = references.follow(item[verb], `${path} ${method}`)
    const own = readServers(operation.servers, `${path} ${method} servers`, notices) ?? base
    return readOperation(path, method, operation, asList(item.parameters), { ...reader, base: own })
  })
}

function readOperation(
  written: string,
  method: Method,
  operation: Json,
  shared: readonly unknown[],
  reader: Reader,
): DescribedMethod {
  const { references, document, base } = reader
  const place = `${method} ${written}`
  const given = [...shared, ...asList(operation.parameters)].map((one) => references.follow(one, place))
  const own = new Map(given.map((one) => [JSON.stringify([one.in, one.name]), one])) // the operation's replace the path's
  const responses = asObject(operation.responses)
  const [tag] = asList(operation.tags)
  const body = operation.requestBody === undefined ? {} : references.follow(operation.requestBody, place)
  const [requestType] = Object.keys(asObject(body.content))
  if (operation.callbacks !== undefined) references.note(place, 'leaves out its callbacks')
  const description = operation.summary ?? operation.description
  const { path, parameters } = readParameters([...own.values()], written, place, references)
  return {
    base,
    path,
    method,
    service: typeof tag === 'string' && tag !== '' ? tag : String(asObject(document.info).title || 'IMPORTED'),
    description: typeof description === 'string' ? description.trim() : undefined,
    ...readVerification(operation, responses, place, reader),
    parameters,
    requestType: requestType === undefined ? undefined : readContentType(requestType),
    answer: readAnswer(responses, method, place, reader),
  }
}

/**
 * A call must fulfil one of the requirements, and all schemes in it (OpenAPI, Security Requirement Object). TLS is required
 * if the description lists the refusal `tlsRequired`, as the gateway's own does.
 */
function readVerification(
  operation: Json,
  responses: Json,
  place: string,
  { document, references, notices }: Reader,
): Pick<DescribedMethod, 'verification' | 'isDeclaredOpen'> {
  const stated = operation.security ?? document.security
  const requirements = asList(stated).map((one) => Object.keys(asObject(one)))
  const schemes = asObject(asObject(document.components).securitySchemes)
  const needsTls = Object.values(responses).some((one) =>
    /\btlsRequired\b/.test(String(references.follow(one, place).description ?? '')),
  )
  const isOptional = requirements.length === 0 || requirements.some((names) => names.length === 0)
  if (isOptional) return { verification: needsTls ? 'SSL' : 'NONE', isDeclaredOpen: stated !== undefined }
  const known = requirements.map((names) =>
    findStrictest(names.flatMap((name) => kindOf(references.follow(schemes[name], place)) ?? [])),
  )
  const kind = weakestFirst.find((each) => each !== 'NONE' && known.includes(each)) ?? 'NONE'
  const others = [...new Set(requirements.flat())].filter(
    (name) => kindOf(references.follow(schemes[name], place)) !== kind,
  )
  if (others.length > 0)
    notices.push({
      path: place,
      message: `leaves out its security scheme ${others.join(', ')}: an operation has one verification`,
    })
  return { verification: needsTls ? withTls(kind) : kind, isDeclaredOpen: false }
}

function kindOf({ type, scheme, name }: Json): 'Basic' | 'OAuth2' | 'Token' | 'Certificate' | undefined {
  if (type === 'mutualTLS') return 'Certificate'
  if (type === 'oauth2' || type === 'openIdConnect') return 'OAuth2'
  if (type === 'apiKey') return String(name).toUpperCase() === 'PS_TOKEN' ? 'Token' : undefined
  if (type !== 'http') return undefined
  return { basic: 'Basic' as const, bearer: 'OAuth2' as const }[String(scheme).toLowerCase()]
}

/** The first success, in its first media type. */
function readAnswer(responses: Json, method: Method, place: string, { examples }: Reader): DescribedMethod['answer'] {
  const [code = '200'] = Object.keys(responses)
    .filter((one) => /^2(?:\d\d|XX)$/i.test(one))
    .sort()
  const response = examples.references.follow(responses[code] ?? responses.default ?? {}, place)
  const [first] = Object.entries(asObject(response.content))
  const status = /^2\d\d$/.test(code) ? Number(code) : 200
  const contentType = readContentType(first?.[0] ?? '') ?? 'application/json'
  const isBodiless = method === 'HEAD' || status === 204 || status === 205 || !first
  const text = isBodiless ? '' : writeExample(asObject(first[1]), isXmlType(contentType), place, examples)
  return { status, contentType, headers: {}, body: { text, isBase64: false } }
}
