/** Says that saving adds the service that the operation names, if there is none of that name. */
import { Text } from '@mantine/core'
import type { OperationAlongside } from './alongside.ts'

export function NewService({ alongside: { newService } }: { readonly alongside: OperationAlongside }) {
  if (newService === undefined) return null
  return (
    <Text size="sm" role="status">
      There is no service {newService}. Saving adds it.
    </Text>
  )
}
