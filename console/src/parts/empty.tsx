/** An empty list that leads on to its first item. */
import { Button, Stack, Text } from '@mantine/core'
import { hrefOf, onLink } from '../router.tsx'

interface Props {
  readonly message: string
  /** `Add the first operator` */
  readonly action?: string | undefined
  readonly to?: string
}

export function Empty({ message, action, to }: Props) {
  return (
    <Stack align="center" py="lg" gap="sm">
      <Text c="dimmed" ta="center">
        {message}
      </Text>
      {action !== undefined && to !== undefined && (
        <Button component="a" href={hrefOf(to)} onClick={onLink(to)}>
          {action}
        </Button>
      )}
    </Stack>
  )
}
