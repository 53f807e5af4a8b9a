/** The rules between the fields of an element of a document (specification 2.15, 2.28, 2.29, 2.33). */
import { compareDecimals, normalizeDecimal } from '../base/decimal.ts'
import { findPatternProblem } from '../base/linear-pattern.ts'
import type { Problem } from '../model/problem.ts'
import { readElement } from '../model/uri/uri-document.ts'
import type { UncheckedDefinition } from './unchecked-definition.ts'

type Elements = NonNullable<NonNullable<NonNullable<UncheckedDefinition['documents']>[number]>['elements']>
type Element = NonNullable<Elements[string]>

export function* checkElements({ documents }: UncheckedDefinition): Iterable<Problem> {
  for (const [index, document] of (documents ?? []).entries()) {
    for (const [name, element] of Object.entries(document?.elements ?? {})) {
      if (element) yield* checkElement(element, `documents[${index}].elements.${name}`)
    }
  }
}

function* checkElement(element: Element, path: string): Iterable<Problem> {
  const problems = [...checkBounds(element, path), ...checkPattern(element, path)]
  yield* problems
  if (problems.length === 0) yield* checkTexts(element, path)
}

function* checkBounds({ type, ...bounds }: Element, path: string): Iterable<Problem> {
  const [minimum, maximum] = [boundOf(bounds.minimum), boundOf(bounds.maximum)]
  for (const [field, bound] of Object.entries({ minimum, maximum })) {
    if (bound === undefined) continue
    const place = `${path}.${field}`
    if (type && type !== 'Integer' && type !== 'Decimal')
      yield { path: place, message: `has no effect on a ${type}: only an Integer or a Decimal has one. Remove it` }
    else if (type === 'Integer' && bound.includes('.'))
      yield { path: place, message: `must be a whole number, as its element is an Integer, not ${bound}` }
  }
  if (minimum !== undefined && maximum !== undefined && compareDecimals(minimum, maximum) > 0)
    yield { path: `${path}.minimum`, message: `must be at most the maximum, ${maximum}, not ${minimum}` }
}

function boundOf(bound: Element['minimum']): string | undefined {
  return bound === undefined || bound === null ? undefined : normalizeDecimal(bound)
}

function* checkPattern({ pattern }: Element, path: string): Iterable<Problem> {
  const problem = typeof pattern === 'string' ? findPatternProblem(pattern) : undefined
  if (problem !== undefined) yield { path: `${path}.pattern`, message: problem }
}

/** The element's own rules would refuse these texts in every request. */
function* checkTexts({ type, length, pattern, values, examples, ...bounds }: Element, path: string): Iterable<Problem> {
  const rules = {
    ...(type && { type }),
    length: length ?? undefined,
    pattern: pattern ?? undefined,
    minimum: boundOf(bounds.minimum),
    maximum: boundOf(bounds.maximum),
  }
  for (const [field, texts] of Object.entries({ values, examples })) {
    for (const [position, text] of (texts ?? []).entries()) {
      if (text === null) continue
      const { fault } = readElement(rules, text)
      const isUnlisted = field === 'examples' && values && !values.includes(text)
      const rule = fault ?? (isUnlisted ? `must be one of ${values.join(', ')}` : undefined)
      if (rule === undefined) continue
      yield {
        path: `${path}.${field}[${position}]`,
        message: `${rule}, as its element requires, not ${JSON.stringify(text)}`,
      }
    }
  }
}
