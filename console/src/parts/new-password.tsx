/** A new password, once more to be sure: nobody can read it back. */
import { PasswordInput } from '@mantine/core'
import { findFault } from './find-fault.ts'

export interface NewPassword {
  readonly password: string
  readonly again: string
}
export const noPassword: NewPassword = { password: '', again: '' }

interface Props {
  readonly value: NewPassword
  readonly error: Error | null
  readonly isFirst?: boolean
  onChange(value: NewPassword): void
}

export function isSame({ password, again }: NewPassword): boolean {
  return password !== '' && password === again
}

export function NewPasswordInputs({ value, error, isFirst = false, onChange }: Props) {
  const { password, again } = value
  return (
    <>
      <PasswordInput
        label="New password"
        description="At least 12 characters: a sentence is easily kept in mind."
        value={password}
        onChange={(event) => onChange({ password: event.currentTarget.value, again })}
        error={findFault(error, 'password')}
        autoComplete="new-password"
        required
        withAsterisk={false}
        {...(isFirst && { 'data-autofocus': true })}
      />
      <PasswordInput
        label="New password again"
        value={again}
        onChange={(event) => onChange({ password, again: event.currentTarget.value })}
        error={again !== '' && !password.startsWith(again) ? 'The two differ.' : undefined}
        autoComplete="new-password"
        required
        withAsterisk={false}
      />
    </>
  )
}
