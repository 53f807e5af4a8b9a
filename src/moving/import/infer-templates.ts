/**
 * Infers URI templates from the recorded requests of one operation (specification 16.7): segments that look like data,
 * or that alone differ between otherwise equal requests, become variables; so does what follows `name=`, and so do query
 * parameters, optional if some requests lack them. The gateway's own matcher checks whether the result answers each request.
 */
import type { PrimitiveType } from '../../model/document-template.ts'
import { encodeSegment } from '../../model/uri/build-uri.ts'
import { findTemplateProblems } from './check-templates.ts'
import type { FoundElement } from './imported-operations.ts'
import { isElementName, openElementNames, type TakenNames, toElementName } from './names.ts'
import { isRedacted, splitSegment } from './place-url.ts'

export interface RecordedRequest {
  readonly path: readonly string[]
  readonly query: readonly (readonly [name: string, value: string])[]
}

export interface InferredTemplates {
  readonly sources: readonly string[]
  readonly elements: Readonly<Record<string, FoundElement>>
}

/** Element → its type; all others are String, because a recording does not show which values are still to come. */
export type ToldTypes = ReadonlyMap<string, PrimitiveType>

export function inferTemplates(requests: readonly RecordedRequest[], types: ToldTypes = new Map()): InferredTemplates {
  const elements = new Elements(types)
  const sources = groupByShape(requests).flatMap(({ shape, members }) =>
    [...Map.groupBy(members, requiredNames).values()].map((group) => writeTemplate(shape, group, elements)),
  )
  const described = elements.describe()
  const problems = findTemplateProblems(sources, described)
  return { sources: sources.filter((_, at) => problems[at] === undefined), elements: described }
}

/** Literals; `name={value}`; and undefined for a variable. */
type Shape = readonly (string | NamedSegment | undefined)[]

interface NamedSegment {
  readonly name: string
}

interface ShapeGroup {
  readonly shape: Shape
  readonly members: readonly RecordedRequest[]
}

function groupByShape(requests: readonly RecordedRequest[]): readonly ShapeGroup[] {
  const shaped = requests.map((request) => {
    const path = pathOf(request)
    return { shape: path.map(readSegment), members: [request] }
  })
  let groups = join(shaped)
  const maxSegments = Math.max(0, ...groups.map(({ shape }) => shape.length))
  for (let at = maxSegments - 1; at >= 0; at -= 1) groups = join(varyAt(groups, at))
  return groups
}

function readSegment(segment: string): Shape[number] {
  const { name } = splitSegment(segment)
  if (name !== undefined) return { name }
  return looksLikeData(segment) ? undefined : segment
}

/** A trailing slash never decides a match; a path of one slash is empty. */
function pathOf({ path }: RecordedRequest): readonly string[] {
  const rest = path.at(-1) === '' ? path.slice(0, -1) : path
  return rest.length === 1 && rest[0] === '' ? [] : rest
}

/** Numbers, UUIDs, dates, addresses, ids such as KU0001, and tokens. */
function looksLikeData(segment: string): boolean {
  return (
    /^-?\d+(?:[.,:-]\d+)*$/.test(segment) ||
    /\d{3}/.test(segment) ||
    /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(segment) ||
    /@/.test(segment) ||
    isRedacted(segment)
  )
}

function join(shaped: readonly ShapeGroup[]): readonly ShapeGroup[] {
  const groups = Map.groupBy(shaped, ({ shape }) => keyOf(shape))
  return [...groups.values()].map((group) => ({
    shape: group[0]?.shape ?? [],
    members: group.flatMap(({ members }) => members),
  }))
}

function keyOf(shape: Shape): string {
  return JSON.stringify(shape.map((segment) => segment ?? null))
}

/** A segment with a longer path below it is more likely a name: it counts as a value only if many differ there. */
const manyNames = 5

function varyAt(groups: readonly ShapeGroup[], at: number): readonly ShapeGroup[] {
  const alike = Map.groupBy(groups, ({ shape }) =>
    typeof shape[at] !== 'string'
      ? keyOf(shape)
      : keyOf(shape.map((segment, index) => (index === at ? '\0' : segment))),
  )
  return [...alike.values()].flatMap((group) => {
    const least = at === 0 && (group[0]?.shape.length ?? 0) > 1 ? manyNames : 2
    if (group.length < least) return group
    return group.map(({ shape, members }) => ({
      shape: shape.map((one, index) => (index === at ? undefined : one)),
      members,
    }))
  })
}

/** Query names that are no element names cannot be optional: requests with them have a template of their own. */
function requiredNames({ query }: RecordedRequest): string {
  return JSON.stringify([...new Set(query.map(([name]) => name).filter((name) => !isElementName(name)))].sort())
}

function writeTemplate(shape: Shape, members: readonly RecordedRequest[], elements: Elements): string {
  const used = openElementNames()
  const segments = shape.map((segment, at) => {
    if (typeof segment === 'string') return encodeSegment(segment)
    if (segment) return `${segment.name}={${elements.add(segment.name, false, used)}}`
    return `{${elements.add(nameVariable(shape, at), false, used)}}`
  })
  const path = segments.join('/')
  return (/^(?:\/|$)/.test(path) ? `/${path}` : path) + writeQuery(members, elements, used)
}

/** `employee` after `employees`; otherwise by its position. */
function nameVariable(shape: Shape, at: number): string {
  const before = shape[at - 1]
  if (typeof before !== 'string') return `parameter${at + 1}`
  return /^[A-Za-z][A-Za-z0-9_]*[a-z]s$/i.test(before)
    ? before.replace(/ies$/i, 'y').replace(/s$/i, '')
    : `parameter${at + 1}`
}

function writeQuery(members: readonly RecordedRequest[], elements: Elements, used: TakenNames): string {
  const names = new Set(members.flatMap(({ query }) => query.map(([name]) => name)))
  const pairs: string[] = []
  const optional: string[] = []
  for (const name of [...names].sort()) {
    const all = members.map(({ query }) => query.filter(([known]) => known === name).map(([, value]) => value))
    const isList = isElementName(name) && all.some((values) => values.length > 1)
    const isEverywhere = all.every((values) => values.length > 0)
    const isOptional = isList || !isEverywhere
    if (isOptional && (used.has(name) || elements.isOther(name, isList))) continue // an optional member has its own name
    const element = elements.add(toElementName(name), isList, used)
    if (isOptional) optional.push(isList ? `${element}*` : element)
    else pairs.push(`${encodeURIComponent(name)}={${element}}`)
  }
  const query = pairs.length > 0 ? `?${pairs.join('&')}` : ''
  return query + (optional.length > 0 ? `{${query === '' ? '?' : '&'}${optional.join(',')}}` : '')
}

class Elements {
  readonly #types: ToldTypes
  /** Name → whether it is a collection. */
  readonly #known = new Map<string, boolean>()

  constructor(types: ToldTypes) {
    this.#types = types
  }

  /** @param used the names that the template has already */
  add(wanted: string, isCollection: boolean, used: TakenNames): string {
    const name = used.add(wanted, isCollection ? 'list' : '', (name) => this.isOther(name, isCollection))
    this.#known.set(name, isCollection)
    return name
  }

  isOther(name: string, isCollection: boolean): boolean {
    return (this.#known.get(name) ?? isCollection) !== isCollection
  }

  describe(): Record<string, FoundElement> {
    const entries = [...this.#known].map(([name, isCollection]): [string, FoundElement] => [
      name,
      { type: this.#types.get(name) ?? 'String', ...(isCollection ? { isCollection } : {}) },
    ])
    return Object.fromEntries(entries)
  }
}
