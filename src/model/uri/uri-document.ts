/** The URI document: URL values by element name, checked and typed (specification 2.15, 2.17, 2.23, 2.28, 2.29). */
import { compareDecimals } from '../../base/decimal.ts'
import { matchesPattern } from '../../base/linear-pattern.ts'
import type { DocumentElement, DocumentTemplate } from '../document-template.ts'
import { readPrimitive, type UriValue } from '../primitive.ts'
import { Refusal } from '../refusal.ts'
import { isSecretName } from '../secret-name.ts'
import type { UriMatch } from './match-uri-template.ts'

/** The values of a URL by element of the document template. `request.getUriDocument()` returns its `values`. */
export interface UriDocument {
  /** The index of the template that matched, from 1. */
  readonly uriResourceIndex: number
  /** The value of a primitive, the values of a collection; undefined if the request has none. */
  readonly values: Readonly<Record<string, UriValue | readonly UriValue[] | undefined>>
  /** The texts by variable, as in the URL, decoded. */
  readonly texts: ReadonlyMap<string, string | readonly string[]>
}

/**
 * Checks the values. They are read again for each message that asks for them: calls share the document, and a handler may
 * change what it gets.
 * @throws Refusal uriValueInvalid, also where a required element has no value
 */
export function readUriDocument({ template, texts }: UriMatch, document: DocumentTemplate | undefined): UriDocument {
  if (!document) return { uriResourceIndex: template.index, values: noValues, texts }
  readValues(texts, document)
  return {
    uriResourceIndex: template.index,
    get values() {
      return readValues(texts, document)
    },
    texts,
  }
}

function readValues(texts: UriMatch['texts'], document: DocumentTemplate): UriDocument['values'] {
  const values: Record<string, UriValue | readonly UriValue[]> = Object.create(null) // an absent element is not found
  for (const element of document.elements.values()) {
    const found = texts.get(element.name)
    if (found !== undefined) {
      values[element.name] =
        typeof found === 'string' ? readValue(element, found) : found.map((text) => readValue(element, text))
    } else if (element.isRequired) throw refuse(element, 'is required')
  }
  return values
}

const noValues: UriDocument['values'] = Object.freeze(Object.create(null))

/** @throws Refusal uriValueInvalid, which names the element and the rule */
export function readValue(element: DocumentElement, text: string): UriValue {
  const { values } = element
  if (values && !values.includes(text)) throw refuse(element, `must be one of ${values.join(', ')}`, text)
  const { value, fault } = readElement(element, text)
  if (value === undefined) throw refuse(element, fault, text, findPlus(element, text))
  return value
}

/** For the log: in a query a raw `+` is a space. */
function findPlus(element: DocumentElement, text: string): string {
  const isMeant = text.includes(' ') && readElement(element, text.replaceAll(' ', '+')).value !== undefined
  return isMeant ? '; its space was a + in the query, which must be %2B' : ''
}

type Rules = Partial<Pick<DocumentElement, 'type' | 'length' | 'minimum' | 'maximum' | 'pattern'>>

export type ReadElement =
  | { readonly value: UriValue; readonly fault?: undefined }
  | { readonly value?: undefined /** The rule, which follows the name of the element. */; readonly fault: string }

/** Reads a value by every rule of its element except the enumerated values. */
export function readElement({ type = 'String', length, minimum, maximum, pattern }: Rules, text: string): ReadElement {
  if (length !== undefined && isLonger(text, length)) return { fault: `may have at most ${length} characters` }
  const { value, rule } = readPrimitive(type, text)
  if (value === undefined) return { fault: `must be ${rule}` }
  if (minimum !== undefined && compareDecimals(text, minimum) < 0) return { fault: `must be at least ${minimum}` }
  if (maximum !== undefined && compareDecimals(text, maximum) > 0) return { fault: `must be at most ${maximum}` }
  if (pattern !== undefined && !matchesPattern(pattern, text)) return { fault: `must match the pattern ${pattern}` }
  return { value }
}

/** Characters as readers count them, not UTF-16 code units. */
export function isLonger(text: string, limit: number): boolean {
  return text.length > limit && (text.length > 2 * limit || [...text].length > limit)
}

const maxEcho = 64

/** @param text undefined if absent */
function refuse({ name }: DocumentElement, rule: string, text?: string, hint = ''): Refusal {
  const echo = text === undefined || isSecretName(name) ? '' : `, not ${abbreviate(text)}`
  return new Refusal('uriValueInvalid', `${name} ${rule}${hint}`, { detail: `${name} ${rule}${echo}.` })
}

/** Quoted, at most 64 characters. */
export function abbreviate(text: string): string {
  const characters = [...text.slice(0, 2 * maxEcho + 2)]
  const shown = JSON.stringify(characters.slice(0, maxEcho).join(''))
  return characters.length > maxEcho ? `${shown}…` : shown
}
