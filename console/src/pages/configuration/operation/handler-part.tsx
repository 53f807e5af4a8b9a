/** What answers an operation: a class of the project, recorded responses, or another server. */
import { Autocomplete, Text } from '@mantine/core'
import { Suspense } from 'react'
import { useLoadedHandlers } from '../../../api/running.ts'
import { handlerFields, handlerForms } from '../../../features.ts'
import type { Value } from '../../../lists.ts'
import type { EditingProps } from '../../../parts/fields.tsx'
import { errorOf } from '../../../parts/find-error.ts'
import { idOf } from './id-of.ts'

export function HandlerPart({ editing }: EditingProps) {
  const { handler } = editing.value
  const [, instead] = Object.entries(handlerFields).find(([field]) => editing.value[field] !== undefined) ?? []
  const mayEdit = editing.whyReadOnly === undefined
  const loaded = useLoadedHandlers(mayEdit)
  if (typeof handler === 'object' && handler !== null) {
    const [, Form] = Object.entries(handlerForms).find(([member]) => member in handler) ?? []
    return <Suspense>{Form && <Form handler={handler as Value} operation={idOf(editing.value)} />}</Suspense>
  }
  return (
    <>
      {instead !== undefined && <Text size="sm">{instead}</Text>}
      <Autocomplete
        label="Handler"
        data={[...(loaded.data?.items ?? [])]}
        description="A file of the project; the list suggests loaded ones. For an export other than the default, add # and its name: handlers/echo.ts#Echo. Code cannot be uploaded here."
        value={String(handler ?? '')}
        error={errorOf(editing.problems, 'handler')}
        readOnly={!mayEdit}
        onChange={(next) => editing.change('handler', next === '' ? undefined : next)}
        withAsterisk={instead === undefined}
        aria-required={instead === undefined}
        selectFirstOptionOnChange
      />
    </>
  )
}
