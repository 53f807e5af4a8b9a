/** The form to sign in. Errors do not say whether name or password is wrong (specification 18.10). */
import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Problem } from '../api/client.ts'
import { useSignIn } from '../api/session.ts'
import { ProblemAlert } from './problem-alert.tsx'
import { SecondFactorForm } from './second-factor-form.tsx'

interface Props {
  readonly name?: string
  /** Whether the form is beside the button of the identity provider. */
  readonly isSecond?: boolean
  onDone(): void
}

export function SignInForm({ name: known = '', isSecond = false, onDone }: Props) {
  const [name, setName] = useState(known)
  const [password, setPassword] = useState('')
  const { mutate, isPending, error, reset } = useSignIn()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate({ name, password }, { onSuccess: onDone })
  }
  const asked = error instanceof Problem ? error.secondFactor : undefined
  if (asked) {
    const back = () => {
      setPassword('')
      reset()
    }
    return <SecondFactorForm name={name} asked={asked} onDone={onDone} onBack={back} />
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        {error && <ProblemAlert problem={error} />}
        <TextInput
          label="Name"
          autoComplete="username"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          required
          withAsterisk={false}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          required
          withAsterisk={false}
          {...(known !== '' && { 'data-autofocus': true })}
        />
        <Button type="submit" loading={isPending} variant={isSecond ? 'default' : 'filled'}>
          Sign in
        </Button>
      </Stack>
    </form>
  )
}
