/** A URL of an operation, from the operation on, that its first URI template matches (specification 22.1). */
import type { OperationEntry } from './api/configuration.ts'

export type Example = Partial<Pick<OperationEntry['value'], 'alias' | 'name' | 'version' | 'uriTemplates'>>

/** Every variable is 1, which is a value of texts and of numbers. */
export function writeExamplePath({ alias, name, version = 'v1', uriTemplates = [] }: Example): string {
  const path = (uriTemplates[0] ?? '').replace(/^\//, '').replace(/\{[^}]*\}/g, '1')
  return `/${alias ?? name}.${version}/${path}`
}
