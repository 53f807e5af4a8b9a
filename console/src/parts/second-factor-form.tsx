/** The second step of signing in: a code or a passkey (specification 34.20). */
import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Problem } from '../api/client.ts'
import { type SecondFactorChallenge, useSignInWithCode, useSignInWithPasskey } from '../api/second-factors.ts'
import { ProblemAlert } from './problem-alert.tsx'

interface Props {
  readonly name: string
  readonly asked: SecondFactorChallenge
  onDone(): void
  onBack(): void
}

export function SecondFactorForm({ name, asked, onDone, onBack }: Props) {
  const [code, setCode] = useState('')
  const byCode = useSignInWithCode()
  const byPasskey = useSignInWithPasskey()
  const error = byCode.error ?? byPasskey.error
  const submit = (event: FormEvent) => {
    event.preventDefault()
    byPasskey.reset()
    byCode.mutate({ name, ticket: asked.ticket, code }, { onSuccess: onDone })
  }
  const usePasskey = () => {
    byCode.reset()
    byPasskey.mutate({ name, asked }, { onSuccess: onDone })
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">
          Confirm that you are <b>{name}</b>.
        </Text>
        {error && <PasskeyOrProblem error={error} />}
        {asked.passkey && (
          <Button onClick={usePasskey} loading={byPasskey.isPending}>
            Use a passkey
          </Button>
        )}
        <TextInput
          label={asked.totp ? 'Code' : 'Recovery code'}
          description={asked.totp ? 'From your authenticator app, or a recovery code' : undefined}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          autoComplete="one-time-code"
          required
          withAsterisk={false}
          data-autofocus
        />
        <Button type="submit" loading={byCode.isPending} variant={asked.passkey ? 'default' : 'filled'}>
          Sign in
        </Button>
        <Text size="sm" c="dimmed">
          Lost your second factor? Ask another administrator to remove it, or{' '}
          <Anchor component="button" type="button" size="sm" underline="always" onClick={onBack}>
            start again
          </Anchor>
          .
        </Text>
      </Stack>
    </form>
  )
}

/** Browsers say little: the person dismissed the dialog, or the passkey is not of this site. */
export function PasskeyOrProblem({ error }: { readonly error: Error }) {
  if (error instanceof Problem) return <ProblemAlert problem={error} />
  const facts = { code: 'unexpected', title: 'The passkey was not used', detail: error.message } as const
  return <ProblemAlert problem={new Problem(facts)} />
}
