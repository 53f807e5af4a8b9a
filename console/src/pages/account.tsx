/** The user's own account: second factors and password. */
import { Button, Checkbox, Group, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Problem } from '../api/client.ts'
import { useChangeOwnPassword, useSession } from '../api/session.ts'
import { isSame, NewPasswordInputs, noPassword } from '../parts/new-password.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { ProblemAlert } from '../parts/problem-alert.tsx'
import { useToast } from '../parts/toast.tsx'
import { Link, useUnsaved } from '../router.tsx'
import { SecondFactors } from './account/second-factors.tsx'

export default function Account() {
  const { data: session } = useSession()
  return (
    <>
      <PageHead />
      <Stack maw={480}>
        <Text size="sm">
          You are signed in as <b>{session?.name}</b>, with the role {session?.role}. For scripts, create an{' '}
          <Link to="/tokens" size="sm" underline="always">
            API token
          </Link>
          .
        </Text>
        {session?.signsInWith === 'provider' ? (
          <Text size="sm">You sign in with the identity provider, which manages your password and your role.</Text>
        ) : (
          <>
            <SecondFactors />
            <OwnPassword />
          </>
        )}
      </Stack>
    </>
  )
}

function OwnPassword() {
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState(noPassword)
  const [endTokens, setEndTokens] = useState(false)
  const { mutate, isPending, error } = useChangeOwnPassword()
  const toast = useToast()
  useUnsaved(current !== '' || next !== noPassword)
  const isWrong = error instanceof Problem && error.code === 'credentialsRejected'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate(
      { current, password: next.password, endTokens },
      {
        onSuccess() {
          setCurrent('')
          setNext(noPassword)
          setEndTokens(false)
          toast(endTokens ? 'Password changed and API tokens revoked.' : 'Password changed.')
        },
      },
    )
  }
  return (
    <Paper withBorder p="md" component="section">
      <form onSubmit={submit}>
        <Stack>
          <Title order={2}>Password</Title>
          {error && !isWrong && <ProblemAlert problem={error} />}
          <PasswordInput
            label="Current password"
            value={current}
            onChange={(event) => setCurrent(event.currentTarget.value)}
            error={isWrong ? error.message : undefined}
            autoComplete="current-password"
            required
            withAsterisk={false}
          />
          <NewPasswordInputs value={next} error={error} onChange={setNext} />
          <Checkbox
            label="Also revoke my API tokens"
            description="Scripts that use them stop working."
            checked={endTokens}
            onChange={(event) => setEndTokens(event.currentTarget.checked)}
          />
          <Group gap="sm">
            <Button type="submit" loading={isPending} disabled={current === '' || !isSame(next)}>
              Change password
            </Button>
          </Group>
          <Text size="sm" c="dimmed">
            This ends all your other sessions.
          </Text>
        </Stack>
      </form>
    </Paper>
  )
}
