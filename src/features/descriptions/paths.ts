/**
 * URI templates as the paths of a description: variables in braces, queries as parameters (specification 12.5). A
 * trailing slash never decides a match, so paths have none, unless two templates of an operation differ only in it.
 */

import type { Operation } from '../../model/operation.ts'
import { encodeSegment } from '../../model/uri/build-uri.ts'
import type { Pattern, UriTemplate, Variable } from '../../model/uri/uri-template.ts'

export interface DescribedPath {
  readonly operation: Operation
  /** Templates that only their queries distinguish, in the order of the configuration. */
  readonly templates: readonly UriTemplate[]
  /** `/ECHO.v1/echo/{parameter1}` */
  readonly path: string
  /** The names of its variables, in order: equal for all methods, even if their elements have other names. */
  readonly names: readonly string[]
  /** `ECHO_GET_v1`; for a further path of the same operation `ECHO_GET_v1_2`, by the index of its first template. */
  readonly id: string
}

export function* describePaths(operations: readonly Operation[]): Generator<DescribedPath> {
  const known = new Map<string, readonly string[]>() // shape → names, of the first template with it
  for (const operation of operations) {
    const templates = operation.templates.toSorted((a, b) => a.index - b.index)
    const groups = Map.groupBy(templates, (template) => shortest(template, templates))
    for (const [shape, group] of groups) {
      const [first] = group as [UriTemplate]
      const base = `/${operation.segment}`
      const names = known.get(base + shape) ?? pathVariables(first).map(({ element }) => element.name)
      known.set(base + shape, names)
      yield { operation, templates: group, path: base + fill(shape, names), names, id: idOf(operation, first) }
    }
  }
}

/** The variables of a path in order of appearance. */
export function pathVariables({ path }: UriTemplate): readonly Variable[] {
  return path.flatMap(({ fields }) => fields.map(({ variable }) => variable))
}

export function idOf({ id }: Operation, { index }: UriTemplate): string {
  return `${id.replace('.', '_')}${index === 1 ? '' : `_${index}`}`
}

/** The path as in the template, with its trailing slash: `/echo/{parameter1}`. */
export function writePath(template: UriTemplate): string {
  return fill(
    shapeOf(template),
    pathVariables(template).map(({ element }) => element.name),
  )
}

/** With `{}` for each variable; literals contain no braces, because they are encoded. */
function shapeOf({ path }: UriTemplate): string {
  return path.map((pattern) => `/${shapeOfSegment(pattern)}`).join('')
}

function shapeOfSegment({ head, fields }: Pattern): string {
  return encodeSegment(head) + fields.map(({ tail }) => `{}${encodeSegment(tail)}`).join('')
}

/** Without the trailing slash, unless another template would then take the request. */
function shortest(template: UriTemplate, templates: readonly UriTemplate[]): string {
  const shape = shapeOf(template)
  if (!shape.endsWith('/')) return shape
  const shorter = shape.slice(0, -1)
  return templates.some((other) => shapeOf(other) === shorter && isContent(other, template)) ? shape : shorter
}

/** Whether the required query of one template can satisfy another. */
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
