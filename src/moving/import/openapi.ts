/** OpenAPI 3.0 and 3.1 as operations that respond with its examples (specification 16.8). */
import type { Method } from '../../model/operation-terms.ts'
import type { Problem } from '../../model/problem.ts'
import { isSecretName } from '../../model/secret-name.ts'
import { type Mode, modeOfDeclaration, modeOfHeader, modeOfScheme, verificationOf } from '../../model/verification.ts'
import { type DescribedMethod, findDescribed, pathOf } from './described.ts'
import { type ImportResult, nothingFound } from './imported-operations.ts'
import { isCredential } from './infer-verification.ts'
import { asList, asObject, type Json, openReferences, type References, unresolved } from './json-reference.ts'
import { listOf, noteUnread, objectOf } from './members.ts'
import { readParameters } from './openapi-parameters.ts'
import { connector } from './place-url.ts'
import { isPostman } from './read-postman.ts'
import { chooseContentType } from './recording.ts'
import { type Examples, isXmlType, writeExample } from './schema-example.ts'
import {
  type Claim,
  demand,
  demandUnknown,
  findStrictest,
  mergeClaims,
  open,
  overTls,
  refused,
  silent,
} from './verification.ts'
import { quoteNames } from './write-notes.ts'

export function importOpenApi(input: unknown): ImportResult {
  const problem = findVersionProblem(input)
  if (problem) return { ...nothingFound, problems: [problem] }
  const document = input as Json
  const notices: Problem[] = []
  const references = openReferences(document, notices)
  const base = readServers(document, 'servers', references) ?? ''
  const reader: Reader = { document, base, references, examples: { references, left: maxBodies } }
  noteUnread(Object.keys(document), 'document', 'the document', references.note)
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
function readServers(owner: Json, place: string, { note }: References): string | undefined {
  const servers = listOf(owner, 'servers', place, note).map(asObject)
  if (servers.some(({ url }) => typeof url !== 'string')) note(place, 'leaves out a server without a URL')
  const urls = servers.flatMap((one) => (typeof one.url === 'string' ? readServer(one.url, one.variables) : []))
  const used = urls.find((url) => url.split('/').includes(connector)) ?? urls[0]
  const others = urls.filter((url) => pathOf(url) !== pathOf(used ?? ''))
  if (others.length > 0) note(place, `has "${used}", which is used, and others, which are not: ${quoteNames(others)}`)
  return used
}

/** The server's URL with the defaults of its variables. */
function readServer(url: string, variables: unknown): string {
  return url.replace(/\{([^{}]*)\}/g, (whole, name: string) => {
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
  const { references } = reader
  const { note } = references
  const isPath = written.startsWith('/') && !written.includes('?')
  const path = isPath ? written : `/${written.replace(/^\/|\?.*$/gs, '')}`
  if (!isPath) note(`paths[${JSON.stringify(written)}]`, 'is left out: a path begins with a slash and has no query')
  const items = references.followAll(given, path)
  for (const item of items) noteUnread(Object.keys(item), 'path', path, note)
  const shared = items.toReversed().flatMap((item) => listOf(item, 'parameters', path, note))
  const servers = items.find((item) => item.servers !== undefined) ?? {}
  const base = readServers(servers, `${path} servers`, references) ?? reader.base
  const ofVerb = (item: Json, verb: string) => (item === unresolved ? unresolved : item[verb]) // it may have any
  const inItems = items.flatMap((item) =>
    Object.entries(verbs).map(([verb, method]) => [ofVerb(item, verb), method] as const),
  )
  return inItems.flatMap(([one, method]) => {
    if (one === undefined) return []
    const isObject = asObject(one) === one && one !== unresolved
    if (!isObject && one !== unresolved) note(`${method} ${path}`, 'is left out: it is no object')
    const operations = isObject ? references.followAll(one, `${path} ${method}`) : [unresolved]
    const operation: Json = Object.assign({}, ...operations.toReversed())
    const own = readServers(operation, `${path} ${method} servers`, references) ?? base
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
  const { note } = references
  const place = `${method} ${written}`
  noteUnread(Object.keys(operation), 'operation', place, note)
  const listed = [...shared, ...listOf(operation, 'parameters', place, note)]
  const given = listed.map((one) => references.follow(one, place))
  const own = new Map(given.map((one) => [JSON.stringify([one.in, one.name]), one])) // the operation's replace the path's
  const responses = objectOf(operation, 'responses', place, note)
  const [tag, ...tags] = listOf(operation, 'tags', place, note)
  if (tags.length > 0) note(place, `is in the service of its first tag, without ${quoteNames(tags)}`)
  const body = operation.requestBody === undefined ? {} : references.follow(operation.requestBody, place)
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
    requestType: readMedia(body, 'requestBody', `${place} requestBody`, references)?.type,
    answer: readAnswer(responses, method, place, reader),
  }
}

/** The first media type; a note names the others. */
function readMedia(owner: Json, kind: 'requestBody' | 'response', place: string, { note }: References) {
  noteUnread(Object.keys(owner), kind, place, note)
  const content = objectOf(owner, 'content', place, note)
  const [first, ...others] = Object.keys(content)
  if (first === undefined) return undefined
  const type = chooseContentType(first, 'application/json', (message) => note(place, message))
  if (others.length > 0) note(place, `is ${JSON.stringify(type)} only, without ${quoteNames(others)}`)
  const media = objectOf(content, first, place, note)
  noteUnread(Object.keys(media), 'media', place, note)
  return { type, media }
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
    .map(({ in: where, name }) => demandUnknown(`the ${String(where)} "${String(name)}"`))
  const silence = responses['401'] === undefined && responses['403'] === undefined ? silent : refused
  const claim = mergeClaims([...(read.length > 0 ? read : [silence]), ...asParameters])
  const needsTls = Object.values(responses).some((one) =>
    /\btlsRequired\b/.test(String(references.follow(one, place).description ?? '')),
  )
  return needsTls ? overTls(claim) : claim
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
  const all = (isList ? stated : [stated]).map((one) => {
    const names = isObject(one) ? Object.keys(one) : [typeof one === 'string' ? one : JSON.stringify(one)]
    return { names, kinds: names.map(kindOf), scopes: isObject(one) ? Object.values(one).flatMap(asList) : [] }
  })
  if (!isList || !stated.every(isObject))
    references.note(place, 'has a security that is not a list of objects: credentials are needed')
  else if (all.length === 0 || all.some(({ names }) => names.length === 0)) return open
  const known = all.filter(({ kinds }) => kinds.some((kind) => kind !== undefined))
  const exact = known.filter(({ kinds }) => kinds.every((kind) => kind === kinds[0]))
  const strictestOf = ({ kinds }: (typeof all)[number]) => findStrictest(kinds.map((kind) => kind ?? 'NONE'))
  const strengthOf = (one: (typeof all)[number]) => verificationOf(strictestOf(one)).strength
  const [chosen] = (exact.length > 0 ? exact : known).toSorted((one, other) => strengthOf(one) - strengthOf(other))
  if (chosen === undefined)
    return demandUnknown(
      ...new Set(all.flatMap(({ names }) => names.map((name) => `the scheme ${JSON.stringify(name)}`))),
    )
  const kind = strictestOf(chosen)
  const unchecked = chosen.names.filter((_, at) => chosen.kinds[at] !== kind)
  const refusedNow = [
    ...new Set(all.flatMap(({ names, kinds }) => names.filter((_, at) => kinds[at] !== kind))),
  ].filter((name) => !unchecked.includes(name))
  if (unchecked.length > 0)
    references.note(place, `checks ${kind} only, and not ${quoteNames(unchecked)}, which the document requires besides`)
  if (refusedNow.length > 0)
    references.note(place, `takes ${kind} only: the document also takes ${quoteNames(refusedNow)} instead`)
  if (chosen.scopes.length > 0) references.note(place, `does not check the scopes ${quoteNames(chosen.scopes)}`)
  return demand(kind)
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function kindOf({ type, scheme, name }: Json): Mode | undefined {
  if (type === 'apiKey') return modeOfHeader(String(name))
  return type === 'http' ? modeOfScheme(String(scheme)) : modeOfDeclaration(type)
}

/** The first success, in its first media type. */
function readAnswer(responses: Json, method: Method, place: string, { examples }: Reader): DescribedMethod['answer'] {
  const { references } = examples
  const codes = Object.keys(responses).filter((one) => !one.startsWith('x-'))
  const [success = 'default'] = codes.filter((one) => /^2(?:\d\d|XX)$/i.test(one)).sort()
  const status = /^2\d\d$/.test(success) ? Number(success) : 200
  const others = codes.filter((one) => one !== success)
  if (others.length > 0) references.note(place, `answers ${status} only, without ${quoteNames(others)}`)
  const at = `${place} ${success}`
  const { type = 'application/json', media } =
    readMedia(references.follow(responses[success] ?? {}, place), 'response', at, references) ?? {}
  const isBodiless = method === 'HEAD' || status === 204 || status === 205 || !media
  const text = isBodiless ? '' : writeExample(media, isXmlType(type), place, examples)
  return { status, contentType: type, headers: {}, body: { text, isBase64: false } }
}
