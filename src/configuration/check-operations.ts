/** The rules of operations that involve several places (specification 2.5, 2.7, 2.10, 2.14, 2.16, 2.21, 2.32, 2.33, 2.35). */

import { nameOf } from '../base/negotiate.ts'
import { handlerFieldNames } from '../features.ts'
import { operationIdOf, unversioned } from '../model/operation-name.ts'
import type { Problem } from '../model/problem.ts'
import { parseUriTemplate, sameRequests, type UriTemplate } from '../model/uri/uri-template.ts'
import { parseDate } from './deprecated-schema.ts'
import { type KnownNames, type NameSet, requireKnown } from './known-names.ts'
import type { UncheckedDefinition } from './unchecked-definition.ts'

type UncheckedOperation = NonNullable<NonNullable<UncheckedDefinition['operations']>[number]>

/** Undefined between two operations. */
export function* checkOperations(unchecked: UncheckedDefinition, known: KnownNames): Iterable<Problem | undefined> {
  const operations = [...(unchecked.operations ?? []).entries()].flatMap(([index, operation]) =>
    operation ? [{ path: `operations[${index}]`, operation }] : [],
  )
  yield* checkIdentities(operations)
  yield undefined
  yield* checkServices(operations, known.services)
  yield undefined
  yield* checkAliases(operations)
  yield undefined
  const lookup: Lookup = {
    ...known,
    builtOn: new Map(unchecked.messages?.map((message) => [message?.document, message?.name])),
  }
  for (const placed of operations) {
    yield* checkMessages(placed, lookup)
    yield* checkDocumentTemplate(placed, lookup)
    yield* checkUriTemplates(placed, lookup)
    yield* checkDeprecated(placed, lookup)
    yield* checkCacheVary(placed)
    yield* checkHandler(placed)
    yield undefined
  }
}

/** Specification 6.15. */
function* checkCacheVary({ path, operation: { method, cacheVary, responseTypes } }: OperationItem): Iterable<Problem> {
  const names = (responseTypes ?? []).map((type) => nameOf(type ?? ''))
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined) yield { path: `${path}.responseTypes`, message: `has ${twice} twice` }
  if (!cacheVary) return
  if (method && method !== 'GET')
    yield { path: `${path}.cacheVary`, message: `has no effect with ${method}: only GET is cached. Remove it` }
  if (cacheVary.includes('accept') && responseTypes === undefined)
    yield { path: `${path}.responseTypes`, message: 'is missing: cacheVary has accept, and chooses among these types' }
}

/** Specification 2.1. */
function* checkHandler({ path, operation }: OperationItem): Iterable<Problem> {
  const [first, ...others] = (['handler', ...handlerFieldNames] as const).filter(
    (name) => operation[name] !== undefined,
  )
  if (first === undefined) {
    const instead = handlerFieldNames.map((name) => `, or set ${name} instead`).join('')
    const message = `is missing: name a module of the project (handlers/my-handler.ts)${instead}`
    yield { path: `${path}.handler`, message }
  }
  for (const other of others)
    yield { path: `${path}.${other}`, message: `cannot be set together with ${first}: remove one of them` }
}

interface Lookup extends KnownNames {
  /** Document → a message built on it. */
  readonly builtOn: ReadonlyMap<string | null | undefined, string | null | undefined>
}

interface OperationItem {
  readonly path: string
  readonly operation: UncheckedOperation
}

function* checkIdentities(operations: readonly OperationItem[]): Iterable<Problem> {
  const first = new Map<string, string>()
  for (const { path, operation } of operations) {
    const { name, method, version = 'v1' } = operation
    if (!name || !method || !version) continue
    const id = operationIdOf({ name, method, version })
    const earlier = first.get(id)
    if (earlier === undefined) first.set(id, path)
    else yield { path, message: `repeats ${id} of ${earlier}: name, method and version together must be unique` }
  }
}

function* checkServices(operations: readonly OperationItem[], known: NameSet | undefined): Iterable<Problem> {
  const owners = new Map<string, OperationItem>()
  for (const placed of operations) {
    const { path, operation } = placed
    yield* requireKnown(`${path}.service`, operation.service, known, 'service')
    if (!operation.name || !operation.service) continue
    const owner = owners.get(operation.name)
    if (!owner) owners.set(operation.name, placed)
    else if (owner.operation.service !== operation.service) {
      const message = `must be ${owner.operation.service}, as in ${owner.path}: the name ${operation.name} belongs to one service only`
      yield { path: `${path}.service`, message }
    }
  }
}

function* checkAliases(operations: readonly OperationItem[]): Iterable<Problem> {
  const stated = new Map<string, OperationItem>()
  const unversionedOf = new Map<string, OperationItem>()
  const checked = new Set<string>()
  for (const placed of operations) {
    const { name, alias, version } = placed.operation
    if (name && version === unversioned && !unversionedOf.has(name)) unversionedOf.set(name, placed)
    if (name && alias === null) checked.add(name) // unknown which alias was meant
    if (!name || !alias) continue
    const earlier = stated.get(name)
    if (!earlier) stated.set(name, placed)
    else if (earlier.operation.alias !== alias) {
      const message = `must be ${earlier.operation.alias}, as in ${earlier.path}: the name ${name} has one alias`
      yield { path: `${placed.path}.alias`, message }
    }
  }

  const names = new Map<string, string>()
  for (const { path, operation } of operations) {
    const { name } = operation
    if (!name || checked.has(name)) continue
    checked.add(name)
    const owner = stated.get(name)
    const alias = owner?.operation.alias ?? name
    const other = names.get(alias)
    if (other === undefined) names.set(alias, name)
    else {
      const message = `gives ${name} the alias ${alias} of ${other}: two names cannot share an alias`
      yield { path: owner ? `${owner.path}.alias` : `${path}.name`, message }
    }
    yield* checkLowerCase(owner, unversionedOf.get(name))
  }
}

/** Specification 2.35: the alias of an operation without a version is what tells it from one with a version. */
function* checkLowerCase(owner: OperationItem | undefined, without: OperationItem | undefined): Iterable<Problem> {
  if (!without) return
  const alias = owner?.operation.alias
  const why = `the URLs of ${without.path} have it instead of a version`
  if (!owner || !alias)
    yield { path: `${without.path}.alias`, message: `is missing: state one in lower case, because ${why}` }
  else if (alias !== alias.toLowerCase())
    yield { path: `${owner.path}.alias`, message: `must be ${alias.toLowerCase()}, in lower case: ${why}` }
}

function* checkMessages({ path, operation }: OperationItem, { documents }: Lookup): Iterable<Problem> {
  for (const field of ['requestMessage', 'responseMessage', 'faultMessage'] as const) {
    const { kind = 'nonRowset', document, contentType, examples } = operation[field] ?? {}
    for (const [index, example] of (isJson(contentType) && examples ? examples : []).entries()) {
      if (example === null || isJsonText(example)) continue
      const message = 'is not JSON, as the content type of its message says'
      yield { path: `${path}.${field}.examples[${index}]`, message }
    }
    const place = `${path}.${field}.document`
    if (kind === 'document' && document === undefined) {
      yield { path: place, message: 'is missing: a message of kind document needs the document that it is built on' }
    }
    if (kind === 'nonRowset' && document) {
      yield { path: place, message: 'has no effect here: set kind: document, or remove it' }
    } else yield* requireKnown(place, document, documents, 'document')
  }
}

function isJson(contentType: string | null | undefined): boolean {
  return /^[^;]*[/+]json *(?:;|$)/i.test(contentType ?? '')
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function* checkDeprecated({ path, operation }: OperationItem, { operations }: Lookup): Iterable<Problem> {
  const { since, sunset, successor } = operation.deprecated ?? {}
  const place = `${path}.deprecated`
  if (since && sunset && (parseDate(sunset) ?? 0) < (parseDate(since) ?? 0))
    yield { path: `${place}.sunset`, message: `must not be before since, ${since}` }
  if (!successor) return
  const { name, method, version = 'v1' } = operation
  if (name && method && version && successor === operationIdOf({ name, method, version }))
    yield { path: `${place}.successor`, message: 'names the operation itself: name the one that replaces it' }
  else if (!/^https?:/i.test(successor)) yield* requireKnown(`${place}.successor`, successor, operations, 'operation')
  else if (!URL.canParse(successor) || /[\s<>]/.test(successor))
    yield { path: `${place}.successor`, message: 'must be an operation of this configuration, or a valid URL' }
}

function* checkDocumentTemplate(
  { path, operation }: OperationItem,
  { documents, messages, builtOn }: Lookup,
): Iterable<Problem> {
  const { documentTemplate, uriTemplates } = operation
  const place = `${path}.documentTemplate`
  const hasVariables = uriTemplates?.some((source) => source?.includes('{')) ?? false
  if (documentTemplate === undefined && hasVariables) {
    const message = 'is missing: name the message of type Document that receives the variables of the URI templates'
    yield { path: place, message }
  }
  const isMessage = documentTemplate && messages?.names.has(documentTemplate)
  if (documentTemplate && messages && !isMessage && documents?.names.has(documentTemplate)) {
    const built = builtOn.get(documentTemplate)
    const advice = built
      ? `name ${built}`
      : `add { name: …, document: '${documentTemplate}' } to messages and name that`
    const message = `names the document ${documentTemplate}, but must name a message of kind document that is built on it: ${advice}`
    yield { path: place, message }
  } else yield* requireKnown(place, documentTemplate, messages, 'message')
}

function* checkUriTemplates({ path, operation }: OperationItem, { templates }: Lookup): Iterable<Problem> {
  const document = templates.get(operation.documentTemplate ?? '')
  const earlier: UriTemplate[] = []
  const { uriTemplates } = operation
  const stated = uriTemplates === undefined || uriTemplates?.length === 0 ? ['/'] : (uriTemplates ?? [])
  for (const [position, source] of stated.entries()) {
    const place = uriTemplates?.length ? `${path}.uriTemplates[${position}]` : `${path}.uriTemplates`
    if (source === null || (source.includes('{') && !document)) continue // reported already
    const parsed = parseUriTemplate(source, position + 1, document, place)
    if ('problems' in parsed) {
      yield* parsed.problems
      continue
    }
    const { template } = parsed
    const same = earlier.find((other) => sameRequests(other, template))
    if (same) {
      const message = `matches the same requests as ${path}.uriTemplates[${same.index - 1}] (${same.source}): remove one of them`
      yield { path: place, message }
    }
    earlier.push(template)
  }
}
