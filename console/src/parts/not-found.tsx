/** The page of an item that does not exist (specification 19.5). */
import { Text } from '@mantine/core'
import { PageHead } from './page-head.tsx'

interface Props {
  /** `revision 99` */
  readonly what: string
  readonly of: { readonly title: string; readonly path: string }
}

export function NotFound({ what, of }: Props) {
  return (
    <>
      <PageHead title="Not found" of={of} />
      <Text>There is no {what}.</Text>
    </>
  )
}
