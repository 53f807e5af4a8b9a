/** Inputs for a new password and its confirmation. */
import { PasswordInput } from '@mantine/core'
import { findError } from './find-error.ts'
import { PasswordField, passwordRule } from './password-field.tsx'

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
      <PasswordField
        label="New password"
        description={passwordRule}
        value={password}
        onChange={(made, isGenerated) => onChange({ password: made, again: isGenerated ? made : again })}
        error={findError(error, 'password')}
        required
        withAsterisk={false}
        {...(isFirst && { 'data-autofocus': true })}
      />
      <PasswordInput
        label="Confirm new password"
        value={again}
        onChange={(event) => onChange({ password, again: event.currentTarget.value })}
        error={again !== '' && !password.startsWith(again) ? 'The passwords do not match.' : undefined}
        autoComplete="new-password"
        required
        withAsterisk={false}
      />
    </>
  )
}
