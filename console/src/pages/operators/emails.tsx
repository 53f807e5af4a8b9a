/** The e-mail addresses of an operator, each with a type; one is primary. */
import { Button, Group, Radio, Stack, Text, TextInput } from '@mantine/core'
import type { EmailAddress } from '../../api/operators.ts'
import { findError } from '../../parts/find-error.ts'

interface Props {
  readonly emails: readonly EmailAddress[]
  readonly isReadOnly: boolean
  readonly error: Error | null
  onChange(emails: EmailAddress[]): void
}

export function Emails({ emails, isReadOnly, error, onChange }: Props) {
  const replace = (at: number, change: Partial<EmailAddress>) =>
    onChange(emails.map((email, index) => (index === at ? { ...email, ...change } : email)))
  const remove = (at: number) => {
    const left = emails.filter((_, index) => index !== at)
    onChange(
      left.some(({ isPrimary }) => isPrimary)
        ? left
        : left.map((email, index) => ({ ...email, isPrimary: index === 0 })),
    )
  }
  const all = findError(error, 'emails')
  return (
    <Stack gap="sm">
      {emails.length === 0 && <Text size="sm">None. OAuth2 tokens are refused for this caller.</Text>}
      {emails.map(({ type, address, isPrimary }, at) => (
        <Group key={at} align="flex-end" gap="xs">
          <TextInput
            label="Type"
            value={type}
            readOnly={isReadOnly}
            onChange={(event) => replace(at, { type: event.currentTarget.value })}
            error={findError(error, `emails[${at}].type`)}
            w={120}
          />
          <TextInput
            label="Address"
            type="text"
            inputMode="email"
            value={address}
            readOnly={isReadOnly}
            onChange={(event) => replace(at, { address: event.currentTarget.value })}
            error={findError(error, `emails[${at}].address`)}
            style={{ flex: '1 1 180px' }}
          />
          <Radio
            label="Primary"
            name="primary"
            checked={isPrimary}
            disabled={isReadOnly}
            onChange={() => onChange(emails.map((email, index) => ({ ...email, isPrimary: index === at })))}
            pb={8}
          />
          {!isReadOnly && (
            <Button variant="default" onClick={() => remove(at)} aria-label={`Remove ${address || 'address'}`}>
              Remove
            </Button>
          )}
        </Group>
      ))}
      {all !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {all}
        </Text>
      )}
      {!isReadOnly && (
        <Button
          variant="default"
          style={{ alignSelf: 'flex-start' }}
          onClick={() => onChange([...emails, { type: 'business', address: '', isPrimary: emails.length === 0 }])}
        >
          Add address
        </Button>
      )}
    </Stack>
  )
}
