import { getField, type Value } from '../../../lists.ts'

/** The id of an operation: its name, method and version. */
export function idOf(value: Value): string {
  return `${getField(value, 'name')}_${getField(value, 'method')}.${getField(value, 'version') ?? 'v1'}`
}
