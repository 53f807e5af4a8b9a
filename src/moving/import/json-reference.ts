/** `$ref` within one document (specification 16.8). */
import type { Problem } from '../../model/problem.ts'

export type Json = Readonly<Record<string, unknown>>

export interface References {
  /** The referenced object; an empty one, and a note, if there is none. */
  follow(value: unknown, place: string): Json
  /** Each object on the way, the nearest first: a reference may have fields beside it. */
  followAll(value: unknown, place: string): readonly Json[]
  /** Each note once. */
  note(place: string, message: string): void
}

/** Where a reference leads nowhere. */
export const unresolved: Json = {}

/** Maximum number of references that lead to each other. */
const maxChain = 50

export function openReferences(document: Json, notices: Problem[]): References {
  const reported = new Set<string>()
  const targets = new Map<string, unknown>()
  const find = (pointer: string) => {
    if (!targets.has(pointer)) targets.set(pointer, resolvePointer(document, pointer))
    return targets.get(pointer)
  }
  const note = (path: string, message: string) => {
    if (!reported.has(path + message)) notices.push({ path, message })
    reported.add(path + message)
  }
  const report = (path: string, message: string) => {
    note(path, message)
    return unresolved
  }
  const followAll: References['followAll'] = (value, place) => {
    const passed: Json[] = []
    let found = value
    for (let step = 0; step < maxChain; step += 1) {
      if (asObject(found) !== found)
        return [...passed, value === undefined ? {} : report(place, 'must have an object here')]
      const { $ref } = found as Json
      if ($ref !== undefined && typeof $ref !== 'string')
        return [...passed, report(place, 'has a $ref that is no text')]
      passed.push(found as Json)
      if (typeof $ref !== 'string') return passed
      if (!$ref.startsWith('#/'))
        return [
          ...passed,
          report(place, `refers to ${JSON.stringify($ref)}, outside the document: bundle it into one file first`),
        ]
      found = find($ref)
      if (found === undefined)
        return [...passed, report(place, `refers to ${JSON.stringify($ref)}, which does not exist`)]
    }
    return [...passed, report(place, `has a reference that leads to itself, or over more than ${maxChain} others`)]
  }
  const follow: References['follow'] = (value, place) => {
    const all = followAll(value, place)
    for (const passed of all.slice(0, -1))
      for (const name of Object.keys(passed))
        if (!/^(?:\$ref|summary|description)$/.test(name)) note(place, `leaves out ${name} beside a $ref`)
    return all.at(-1) ?? {}
  }
  return { note, followAll, follow }
}

function resolvePointer(document: Json, pointer: string): unknown {
  let found: unknown = document
  for (const part of pointer.slice(2).split('/')) {
    const key = decode(part).replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Json)[key]
  }
  return found
}

/** Text that is not percent-encoded stays as it is. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
