/** Valid configuration names for any imported text (specification 16.6, 16.8). */

import type { Problem } from '../../model/problem.ts'

/** Gives each text a name of its own, and always the same one. */
export interface Names {
  nameOf(text: string): string
  /** Text → name, if they differ. */
  readonly changed: ReadonlyMap<string, string>
}

export function openNames(normalize: (text: string) => string, maxLength: number): Names {
  const known = new Map<string, string>()
  const taken = openTakenNames(maxLength)
  const changed = new Map<string, string>()
  return {
    changed,
    nameOf(text) {
      const earlier = known.get(text)
      if (earlier !== undefined) return earlier
      const name = taken.add(normalize(text))
      known.set(text, name)
      if (name !== text) changed.set(text, name)
      return name
    },
  }
}

/** Upper case for an operation whose alias keeps its case is not worth a note. */
export function noteRenamed(what: 'operation' | 'alias' | 'node', { changed }: Names): readonly Problem[] {
  return [...changed]
    .filter(([text, name]) => what !== 'operation' || name !== text.toUpperCase())
    .map(([text, name]) => {
      return { path: `the ${what} ${JSON.stringify(text)}`, message: `is no valid ${what}: it is renamed to "${name}"` }
    })
}

export interface TakenNames {
  has(name: string): boolean
  /**
   * Takes `NAME`, else `NAME_2`, `NAME_3` …
   * @param kind which of them `isOther` is about
   * @param isOther whether a name belongs to another kind
   */
  add(name: string, kind?: string, isOther?: (name: string) => boolean): string
}

/** Names are never released, so the search for a free number continues after the last one. */
export function openTakenNames(maxLength: number): TakenNames {
  const taken = new Set<string>()
  const numbers = new Map<string, number>()
  return {
    has: (name) => taken.has(name),
    add(name, kind = '', isOther = () => false) {
      const key = `${kind} ${name}`
      for (let number = numbers.get(key) ?? 1; ; number += 1) {
        const suffix = number === 1 ? '' : `_${number}`
        const candidate = name.slice(0, maxLength - suffix.length) + suffix
        if (taken.has(candidate) || isOther(candidate)) continue
        taken.add(candidate)
        numbers.set(key, number)
        return candidate
      }
    },
  }
}

/** The names taken by the elements of one template. */
export function openElementNames(): TakenNames {
  return openTakenNames(60)
}

/** 1 to 30 capitals, digits and underscores, a capital first. */
export function toName(text: string): string {
  const plain = text
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
  return (/^[A-Z]/.test(plain) ? plain : `X_${plain}`).slice(0, 30).replace(/_+$/, '')
}

/** 1 to 30 characters; only invalid ones are replaced. */
export function toOperationName(text: string): string {
  return /^[A-Z][A-Z0-9_]{0,29}$/.test(text) ? text : toName(text)
}

/** For URLs: case-sensitive. */
export function toAlias(text: string): string {
  if (isAlias(text)) return text
  const plain = text.replace(/[^\w-]+/g, '_').replace(/^[_-]+/, '')
  return (/^[A-Za-z]/.test(plain) ? plain : `X_${plain}`).slice(0, 60)
}

export function isAlias(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_-]{0,59}$/.test(text)
}

/** For document templates. */
export function isElementName(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_]{0,59}$/.test(text)
}

export function toElementName(text: string): string {
  if (isElementName(text)) return text
  const plain = text.replace(/[^A-Za-z0-9_]+/g, '_').replace(/^_+|_+$/g, '')
  return (/^[A-Za-z]/.test(plain) ? plain : `parameter_${plain}`).slice(0, 60)
}
