/** An input for a new password, typed or generated and shown (specification 3.23). */
import { Button, Group, PasswordInput, type PasswordInputProps } from '@mantine/core'
import { useState } from 'react'

interface Props extends Omit<PasswordInputProps, 'onChange'> {
  onChange(password: string, isGenerated: boolean): void
}

export const passwordRule = 'At least 12 characters, not a common password. A sentence is easy to remember.'

export function PasswordField({ onChange, ...props }: Props) {
  const [isShown, setShown] = useState(false)
  const generate = () => {
    setShown(true)
    onChange(generatePassword(), true)
  }
  return (
    <div>
      <PasswordInput
        {...props}
        visible={isShown}
        onVisibilityChange={setShown}
        onChange={(event) => onChange(event.currentTarget.value, false)}
        autoComplete="new-password"
      />
      <Group justify="flex-end" mt={4}>
        <Button variant="default" size="compact-sm" onClick={generate}>
          Generate password
        </Button>
      </Group>
    </div>
  )
}

/** 144 random bits, like those of the command line. */
function generatePassword(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(18))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
}
