/** A new password, once more to be sure: nobody can read it back. */
import { PasswordInput } from '@mantine/core'
import { findFault } from './find-fault.ts'
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
        error={findFault(error, 'password')}
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
