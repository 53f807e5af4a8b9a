import { operationIdOf } from '../../../../../src/model/operation-name.ts'
import { getField, type Value } from '../../../lists.ts'

/** The id of an operation: its name, method and version. */
export function idOf(value: Value): string {
  const text = (field: string) => String(getField(value, field))
  return operationIdOf({
    name: text('name'),
    method: text('method'),
    version: String(getField(value, 'version') ?? 'v1'),
  })
}
