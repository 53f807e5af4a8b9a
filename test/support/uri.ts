/** Documents, templates and targets for tests of the URL, in few words. */
import type { DocumentElement, DocumentTemplate, PrimitiveType } from '../../src/model/document-template.ts'
import { parseTarget, type Target } from '../../src/model/uri/target.ts'
import { compareSpecificity, parseUriTemplate, type UriTemplate } from '../../src/model/uri/uri-template.ts'

export const root = '/PSIGW/RESTListeningConnector/LOCAL_NODE'

/** @param elements `x`, `list*` a collection, `id!` required, `id:Integer` typed, `id:Integer*!` all of it */
export function documentOf(...elements: readonly (string | Partial<DocumentElement>)[]): DocumentTemplate {
  return { name: 'TEST', elements: new Map(elements.map(elementOf).map((element) => [element.name, element])) }
}

export function elementOf(definition: string | Partial<DocumentElement>): DocumentElement {
  const plain = {
    type: 'String',
    isCollection: false,
    isRequired: false,
    length: undefined,
    values: undefined,
  } as const
  if (typeof definition !== 'string') return { ...plain, name: 'x', ...definition }
  const [name = '', type = 'String'] = definition.replace(/[*!]/g, '').split(':')
  const isCollection = definition.includes('*')
  return { ...plain, name, type: type as PrimitiveType, isCollection, isRequired: definition.includes('!') }
}

/** As the configuration compiles them: the most specific first. */
export function templatesOf(sources: readonly string[], document: DocumentTemplate | undefined): UriTemplate[] {
  return sources.map((source, at) => templateOf(source, document, at + 1)).sort(compareSpecificity)
}

export function templateOf(source: string, document: DocumentTemplate | undefined, index = 1): UriTemplate {
  const parsed = parseUriTemplate(source, index, document)
  if ('template' in parsed) return parsed.template
  throw new Error(`${source} ${parsed.problems.map(({ message }) => message).join('; ')}`)
}

/** @param rest what follows the node: `ECHO.v1/echo/a` */
export function targetOf(rest: string): Target {
  return parseTarget(`${root}/${rest}`, 'PSIGW')
}
