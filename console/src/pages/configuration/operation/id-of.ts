import { getField, type Value } from '../../../lists.ts'

/** Of an operation, as its name, method and version make it. */
export function idOf(value: Value): string {
  return `${getField(value, 'name')}_${getField(value, 'method')}.${getField(value, 'version') ?? 'v1'}`
}
