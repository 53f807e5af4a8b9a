/** Builds path and query from a URI template and values (specification 2.26). */
import type { DocumentElement } from '../document-template.ts'
import { type UriValue, writePrimitive } from '../primitive.ts'
import { matchUriTemplates, type UriMatch } from './match-uri-template.ts'
import { parsePath, parseQuery } from './target.ts'
import { readValue } from './uri-document.ts'
import type { Pattern, QueryPart, UriTemplate, Variable } from './uri-template.ts'

export type UriValues = Readonly<Record<string, UriValue | readonly UriValue[] | undefined>>

/**
 * The part after `<operation>.<version>`, with its slash. The result is parsed again before it is returned.
 * @param templates all templates of the operation, the most specific first: another one must not win the URL
 * @throws Error naming the variable whose value would not be read back unchanged
 */
export function buildUri(
  template: UriTemplate,
  values: UriValues,
  templates: readonly UriTemplate[] = [template],
): string {
  const texts = writeTexts(template, values)
  const rawPath = template.path.map((pattern) => buildSegment(pattern, texts)).join('/')
  const rawQuery = template.query.flatMap((part) => buildPairs(part, texts)).join('&')
  const match = matchUriTemplates(templates, {
    rawPath,
    rawQuery,
    path: parsePath(rawPath),
    query: parseQuery(rawQuery),
  })
  requireSame(template, texts, match)
  return rawQuery === '' ? `/${rawPath}` : `/${rawPath}?${rawQuery}`
}

type Texts = ReadonlyMap<string, string | readonly string[]>

function writeTexts({ path, query, variables }: UriTemplate, values: UriValues): Texts {
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && !variables.includes(name)) throw new Error(`The URI template has no variable ${name}`)
  }
  const texts = new Map<string, string | readonly string[]>()
  const write = (variable: Variable, isOptional: boolean) => {
    const { list, element } = variable
    const { name, isRequired } = element
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    const isEmptyList = list !== 'none' && value !== undefined && isList(value) && value.length === 0
    if (isEmptyList && isOptional && !isRequired) return // an empty list and a missing value are the same in a URL
    if (value !== undefined) texts.set(name, writeText(variable, value))
    else if (isRequired || !isOptional) throw cannotCarry(name, 'it is missing')
  }
  for (const { variable } of path.flatMap(({ fields }) => fields)) write(variable, false)
  for (const part of query) if (part.variable) write(part.variable, part.isOptional)
  return texts
}

function writeText({ element, list }: Variable, value: UriValue | readonly UriValue[]): string | readonly string[] {
  if (list === 'none' && !isList(value)) return writeOne(element, value)
  if (list === 'none') throw cannotCarry(element.name, 'it is a list, but the element is not a collection')
  if (!isList(value)) throw cannotCarry(element.name, 'it must be a list, because the element is a collection')
  if (value.length === 0) throw cannotCarry(element.name, 'an empty list would be read as a missing value')
  return value.map((one) => writeOne(element, one))
}

function isList(value: UriValue | readonly UriValue[]): value is readonly UriValue[] {
  return Array.isArray(value)
}

/** A string is the text itself; any other value is the value that its text is read as. */
function writeOne(element: DocumentElement, value: UriValue): string {
  if (!['string', 'number', 'boolean'].includes(typeof value) && !Buffer.isBuffer(value)) {
    throw cannotCarry(element.name, 'it is not a string, number, boolean or Buffer')
  }
  const text = writePrimitive(value)
  if (!text.isWellFormed() || text.includes('\0'))
    throw cannotCarry(element.name, 'it has a character that a URL cannot contain')
  const read = readBack(element, text)
  if (typeof value === 'string' || writePrimitive(read) === text) return text
  throw cannotCarry(element.name, 'it would be read as another value')
}

/** A value that its element would refuse cannot be in a URL: the rule goes into the message. */
function readBack(element: DocumentElement, text: string): UriValue {
  try {
    return readValue(element, text)
  } catch (error) {
    throw cannotCarry(element.name, (error as Error).message)
  }
}

function buildSegment({ head, fields }: Pattern, texts: Texts): string {
  let segment = encodeSegment(head)
  for (const { variable, tail } of fields) {
    const text = texts.get(variable.element.name) ?? ''
    segment += (typeof text === 'string' ? encodeSegment(text) : text.map(encodeListed).join(',')) + encodeSegment(tail)
  }
  const last = fields.at(-1)
  if (last && (segment === '.' || segment === '..')) {
    throw cannotCarry(last.variable.element.name, 'clients resolve the segments . and .. before they send them')
  }
  return segment
}

function buildPairs({ name, literal, variable }: QueryPart, texts: Texts): string[] {
  const key = encodeURIComponent(name)
  if (!variable) return [`${key}=${encodeURIComponent(literal)}`]
  const text = texts.get(variable.element.name)
  if (text === undefined) return []
  if (variable.list === 'repeated') return [text].flat().map((one) => `${key}=${encodeURIComponent(one)}`)
  return [`${key}=${[text].flat().map(encodeURIComponent).join(',')}`]
}

/** Characters that RFC 3986 allows in a segment stay readable. */
export function encodeSegment(text: string): string {
  return encodeURIComponent(text).replace(/%(?:3A|40|24|26|2B|2C|3B|3D)/g, decodeURIComponent)
}

/** A raw comma would end the value. */
function encodeListed(text: string): string {
  return encodeSegment(text).replaceAll(',', '%2C')
}

function requireSame(template: UriTemplate, texts: Texts, match: UriMatch | undefined): void {
  if (match?.template !== template) {
    const names = template.path.flatMap(({ fields }) => fields.map(({ variable }) => variable.element.name))
    const reader = match ? `is read by the URI template ${match.template.source}` : 'matches no URI template'
    throw cannotCarry((names.length > 0 ? names : template.variables).join(', '), `the URL ${reader}`)
  }
  for (const [name, text] of texts) {
    if (JSON.stringify(match.texts.get(name)) === JSON.stringify(text)) continue
    throw cannotCarry(
      name,
      'it contains the text that follows it in the template, and would be read back cut or changed',
    )
  }
}

function cannotCarry(name: string, reason: string): Error {
  return new Error(`The URI template cannot carry this value of ${name}: ${reason}`)
}
