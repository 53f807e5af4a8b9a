/** Of something that is not there: that it is not, and nothing else (specification 19.5). */
import { Text } from '@mantine/core'
import { PageHead } from './page-head.tsx'

interface Props {
  /** `revision 99` */
  readonly what: string
  readonly of: { readonly title: string; readonly path: string }
}

export function NotThere({ what, of }: Props) {
  return (
    <>
      <PageHead title="There is no such thing" of={of} />
      <Text>There is no {what}.</Text>
    </>
  )
}
