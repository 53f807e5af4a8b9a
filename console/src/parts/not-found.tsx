/** The page of an item that does not exist (specification 19.5). */
import { Text } from '@mantine/core'
import { PageHead } from './page-head.tsx'

interface Props {
  /** `revision 99` */
  readonly what: string
}

export function NotFound({ what }: Props) {
  return (
    <>
      <PageHead item="Not found" />
      <Text>There is no {what}.</Text>
    </>
  )
}
