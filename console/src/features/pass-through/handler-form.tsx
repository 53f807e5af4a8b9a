/** Another server answers the operation. Where its calls go is chosen in the project's files. */
import { TextInput } from '@mantine/core'
import type { Value } from '../../lists.ts'
import { Shadow } from './shadow.tsx'

export default function PassThrough({ handler, operation }: { readonly handler: Value; readonly operation: string }) {
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
