/** OpenAPI 3.0 and 3.1 as operations that respond with its examples (specification 16.8). */
import type { Method } from '../model/operation-terms.ts'
import type { Problem } from '../model/problem.ts'
import { isSecretName } from '../model/secret-name.ts'
import { type Mode, modeOfHeader, modeOfScheme, verificationOf } from '../model/verification.ts'
import { type DescribedMethod, findDescribed, pathOf } from './described.ts'
import { isCredential } from './find-verification.ts'
import type { Found } from './found.ts'
import { asList, asObject, type Json, openReferences, type References, unresolved } from './json-reference.ts'
import { readParameters } from './openapi-parameters.ts'
import { connector } from './place-url.ts'
import { isPostman } from './postman.ts'
import { readContentType } from './recording.ts'
import { type Examples, isXmlType, writeExample } from './schema-example.ts'
import { type Claim, demand, demandUnknown, findStrictest, mergeClaims, open, refused, silent } from './verification.ts'

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

function readPath(written: string, given: unknown, reader: Reader): readonly DescribedMethod[] {
  const { references, notices } = reader
  const isPath = written.startsWith('/') && !written.includes('?')
  const path = isPath ? written : `/${written.replace(/^\/|\?.*$/gs, '')}`
  if (!isPath) {
    const message = 'is left out: a path begins with a slash and has no query'
    notices.push({ path: `paths[${JSON.stringify(written)}]`, message })
  }
  const items = references.followAll(given, path)
  for (const verb of ['options', 'trace']) {
    if (items.some((item) => item[verb] !== undefined)) {
      const message = 'is left out: operations cannot have this method'
      notices.push({ path: `${verb.toUpperCase()} ${path}`, message })
    }
  }
  const shared = items.toReversed().flatMap((item) => asList(item.parameters))
  const servers = items.find((item) => item.servers !== undefined)?.servers
  const base = readServers(servers, `${path} servers`, notices) ?? reader.base
  const inItems = items.flatMap((item) => Object.entries(verbs).map(([verb, method]) => [item[verb], method] as const))
  return inItems.flatMap(([one, method]) => {
    if (one === undefined) return []
    const isObject = asObject(one) === one
    if (!isObject) notices.push({ path: `${method} ${path}`, message: 'is left out: it is no object' })
    const operations = isObject ? references.followAll(one, `${path} ${method}`) : [unresolved]
    const operation: Json = Object.assign({}, ...operations.toReversed())
    const own = readServers(operation.servers, `${path} ${method} servers`, notices) ?? base
    const securities = [...operations, ...items].flatMap(({ security }) => (security === undefined ? [] : [security]))
    const described = readOperation(path, method, operation, shared, securities, { ...reader, base: own })
    const isCut = items.includes(unresolved) || operations.includes(unresolved)
    const claim = isCut ? mergeClaims([described, demandUnknown('what is no object')]) : described
    return { ...described, ...claim, isLeftOut: !isPath || !isObject }
  })
}

function readOperation(
  written: string,
  method: Method,
  operation: Json,
  shared: readonly unknown[],
  securities: readonly unknown[],
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
    ...readClaim(securities, responses, [...own.values()], place, reader),
    parameters,
    requestType: requestType === undefined ? undefined : readContentType(requestType),
    answer: readAnswer(responses, method, place, reader),
  }
}

/**
 * The strictest of what is stated for the operation, else of what is stated for the document. TLS is required if the
 * description lists the refusal `tlsRequired`, as the gateway's own does.
 */
function readClaim(
  securities: readonly unknown[],
  responses: Json,
  parameters: readonly Json[],
  place: string,
  { document, references }: Reader,
): Claim {
  const schemes = asObject(asObject(document.components).securitySchemes)
  const isDocuments = securities.length === 0 && document.security !== undefined
  const stated = isDocuments ? [document.security] : securities
  const read = stated.map((one) => {
    const at = isDocuments ? 'security' : place
    return readSecurity(one, (name) => kindOf(references.follow(schemes[name], at)), at, references)
  })
  const asParameters = parameters
    .filter(
      ({ in: where, name }) => (where === 'query' ? isSecretName : isCredential)(String(name)) && where !== 'path',
    )
    .map(({ in: where, name }) => demandUnknown(`the ${String(where)} ${String(name)}`))
  const silence = responses['401'] === undefined && responses['403'] === undefined ? silent : refused
  const claim = mergeClaims([...(read.length > 0 ? read : [silence]), ...asParameters])
  const needsTls = Object.values(responses).some((one) =>
    /\btlsRequired\b/.test(String(references.follow(one, place).description ?? '')),
  )
  return needsTls ? { ...claim, verification: findStrictest([claim.verification, 'SSL']) } : claim
}

/**
 * A call must fulfil one of the requirements, and all schemes in it (OpenAPI, Security Requirement Object). Anything that
 * is no list of objects is read as the schemes that it names.
 */
function readSecurity(
  stated: unknown,
  kindOf: (name: string) => Mode | undefined,
  place: string,
  references: References,
): Claim {
  const isList = Array.isArray(stated)
  const requirements = (isList ? stated : [stated]).map((one) =>
    isObject(one) ? Object.keys(one) : [typeof one === 'string' ? one : JSON.stringify(one)],
  )
  if (!isList || !stated.every(isObject))
    references.note(place, 'has a security that is not a list of objects: credentials are needed')
  else if (requirements.length === 0 || requirements.some((names) => names.length === 0)) return open
  const all = requirements.map((names) => ({ names, kinds: names.map(kindOf) }))
  const known = all.filter(({ kinds }) => kinds.some((kind) => kind !== undefined))
  const exact = known.filter(({ kinds }) => kinds.every((kind) => kind === kinds[0]))
  const strictestOf = ({ kinds }: (typeof all)[number]) => findStrictest(kinds.map((kind) => kind ?? 'NONE'))
  const strengthOf = (one: (typeof all)[number]) => verificationOf(strictestOf(one)).strength
  const [chosen] = (exact.length > 0 ? exact : known).toSorted((one, other) => strengthOf(one) - strengthOf(other))
  if (chosen === undefined) return demandUnknown(...new Set(requirements.flat().map((name) => `the scheme ${name}`)))
  const kind = strictestOf(chosen)
  const unchecked = chosen.names.filter((_, at) => chosen.kinds[at] !== kind)
  const refusedNow = [
    ...new Set(all.flatMap(({ names, kinds }) => names.filter((_, at) => kinds[at] !== kind))),
  ].filter((name) => !unchecked.includes(name))
  if (unchecked.length > 0)
    references.note(place, `checks ${kind} only, and not ${unchecked.join(', ')}, which the document requires besides`)
  if (refusedNow.length > 0)
    references.note(place, `takes ${kind} only: the document also takes ${refusedNow.join(', ')} instead`)
  return demand(kind)
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Types of OpenAPI that say it without a name. */
const modesByType = new Map<unknown, Mode>([
  ['mutualTLS', 'Certificate'],
  ['oauth2', 'OAuth2'],
  ['openIdConnect', 'OAuth2'],
])

function kindOf({ type, scheme, name }: Json): Mode | undefined {
  if (type === 'apiKey') return modeOfHeader(String(name))
  return type === 'http' ? modeOfScheme(String(scheme)) : modesByType.get(type)
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
