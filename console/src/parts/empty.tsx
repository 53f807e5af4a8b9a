/** An empty list that leads on to its first item. */
import { Button, Text } from '@mantine/core'
import { Inbox } from 'lucide-react'
import { hrefOf, onLink } from '../router.tsx'

interface Props {
  readonly message: string
  /** `Add the first operator` */
  readonly action?: string | undefined
  readonly to?: string
}

export function Empty({ message, action, to }: Props) {
  return (
    <div className="empty">
      <Inbox size={20} strokeWidth={1.6} aria-hidden />
      <Text c="dimmed" ta="center">
        {message}
      </Text>
      {action !== undefined && to !== undefined && (
        <Button component="a" href={hrefOf(to)} onClick={onLink(to)}>
          {action}
        </Button>
      )}
    </div>
  )
}
