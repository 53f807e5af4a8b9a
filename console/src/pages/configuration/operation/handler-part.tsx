/** What answers an operation: a class of the project, recorded responses, or another server. */
import { Autocomplete, Text, TextInput } from '@mantine/core'
import { useLoadedHandlers } from '../../../api/running.ts'
import { handlerFields } from '../../../features.ts'
import type { Value } from '../../../lists.ts'
import type { Editing } from '../../../parts/fields.tsx'
import { errorOf } from '../../../parts/find-error.ts'
import { idOf } from './id-of.ts'
import { Shadow } from './shadow.tsx'

export function HandlerPart({ editing }: Editing) {
  const { handler } = editing.value
  const [, instead] = Object.entries(handlerFields).find(([field]) => editing.value[field] !== undefined) ?? []
  const mayEdit = editing.whyReadOnly === undefined
  const loaded = useLoadedHandlers(mayEdit)
  if (typeof handler === 'object' && handler !== null)
    return <PassThrough handler={handler as Value} operation={idOf(editing.value)} />
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

/** Where its calls go is chosen in the project's files. */
function PassThrough({ handler, operation }: { readonly handler: Value; readonly operation: string }) {
  const { passThrough, credentials, cookies, requestHeaders, responseHeaders, shadow } = handler
  const listNames = (names: unknown) => (Array.isArray(names) && names.length > 0 ? names.join(', ') : 'none')
  return (
    <>
      <TextInput
        label="Passed through to"
        description={`Another server answers. Credentials: ${credentials ?? 'none'}; its cookies: ${cookies ?? 'drop'}. Further headers sent: ${listNames(requestHeaders)}; returned: ${listNames(responseHeaders)}.`}
        value={String(passThrough)}
        readOnly
      />
      {typeof shadow === 'string' && <Shadow operation={operation} handler={shadow} />}
    </>
  )
}
