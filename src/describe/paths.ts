/**
 * URI templates as the paths of a description: variables in braces, queries left to parameters (specification 12.5).
 * One trailing slash more or less never decides a match, so paths have none, unless an operation tells two templates
 * apart by it.
 */

import type { Operation } from '../model/operation.ts'
import { encodeSegment } from '../model/uri/build-uri.ts'
import type { Pattern, UriTemplate, Variable } from '../model/uri/uri-template.ts'

export interface DescribedPath {
  readonly operation: Operation
  /** Those that only their queries tell apart, in the order of the configuration. */
  readonly templates: readonly UriTemplate[]
  /** `/ECHO.v1/echo/{parameter1}` */
  readonly path: string
  /** The names of its variables, in order: alike for all methods, though their elements may be called otherwise. */
  readonly names: readonly string[]
  /** `ECHO_GET_v1`; of a further path of the same operation `ECHO_GET_v1_2`, by the index of its first template. */
  readonly id: string
}

export function* describePaths(operations: readonly Operation[]): Generator<DescribedPath> {
  const known = new Map<string, readonly string[]>() // shape → names, of the first template that has it
  for (const operation of operations) {
    const templates = operation.templates.toSorted((a, b) => a.index - b.index)
    const groups = Map.groupBy(templates, (template) => shortest(template, templates))
    for (const [shape, group] of groups) {
      const [first] = group as [UriTemplate]
      const base = `/${operation.alias}.${operation.version}`
      const names = known.get(base + shape) ?? pathVariables(first).map(({ element }) => element.name)
      known.set(base + shape, names)
      yield { operation, templates: group, path: base + fill(shape, names), names, id: idOf(operation, first) }
    }
  }
}

/** In the order in which they stand. */
export function pathVariables({ path }: UriTemplate): readonly Variable[] {
  return path.flatMap(({ fields }) => fields.map(({ variable }) => variable))
}

export function idOf({ fullName, version }: Operation, { index }: UriTemplate): string {
  return `${fullName}_${version}${index === 1 ? '' : `_${index}`}`
}

/** The path as the template has it, its slash at the end included: `/echo/{parameter1}`. */
export function writePath(template: UriTemplate): string {
  return fill(
    shapeOf(template),
    pathVariables(template).map(({ element }) => element.name),
  )
}

/** With `{}` for each variable; encoding leaves no brace of a literal. */
function shapeOf({ path }: UriTemplate): string {
  return path.map((pattern) => `/${shapeOfSegment(pattern)}`).join('')
}

function shapeOfSegment({ head, fields }: Pattern): string {
  return encodeSegment(head) + fields.map(({ tail }) => `{}${encodeSegment(tail)}`).join('')
}

/** Without the slash at its end, unless another template would take the request then. */
function shortest(template: UriTemplate, templates: readonly UriTemplate[]): string {
  const shape = shapeOf(template)
  if (!shape.endsWith('/')) return shape
  const shorter = shape.slice(0, -1)
  return templates.some((other) => shapeOf(other) === shorter && isContent(other, template)) ? shape : shorter
}

/** Whether a query that one template asks for can be enough for another. */
function isContent({ query }: UriTemplate, asked: UriTemplate): boolean {
  return query.every((part) => {
    if (part.variable && part.isOptional) return true
    const found = asked.query.find(({ name }) => name === part.name)
    return found !== undefined && (part.variable !== undefined || found.literal === part.literal)
  })
}

function fill(shape: string, names: readonly string[]): string {
  let at = 0
  return shape.replaceAll('{}', () => `{${names[at++]}}`)
}
