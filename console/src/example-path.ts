/** The part of a URL from the operation on that matches the operation's first URI template. */
import type { OperationEntry } from './api/configuration.ts'

export type Example = Partial<Pick<OperationEntry['value'], 'alias' | 'name' | 'version' | 'uriTemplates'>>

/** Sets every variable to 1, which is valid as text and as number. */
export function writeExamplePath({ alias, name, version = 'v1', uriTemplates = [] }: Example): string {
  const path = (uriTemplates[0] ?? '').replace(/^\//, '').replace(/\{[^}]*\}/g, '1')
  return `/${alias ?? name}.${version}/${path}`
}
