/** The page of the one-time link: creates the first administrator (specification 18.5). */
import { Button, Center, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Problem } from './api/client.ts'
import { useAcceptInvitation } from './api/session.ts'
import { findError } from './parts/find-error.ts'
import { isSame, NewPasswordInputs, noPassword } from './parts/new-password.tsx'
import { ProblemAlert } from './parts/problem-alert.tsx'
import { go, hrefOf, Link, onLink } from './router.tsx'

export const setupPath = '/setup'

/** Read once and removed from the URL, to keep it out of the browser's history. */
const token = location.pathname.endsWith(setupPath) ? location.hash.slice(1) : ''
if (token !== '') history.replaceState(null, '', location.pathname)

export function Setup({ onDone }: { onDone(): void }) {
  const [name, setName] = useState('')
  const [password, setPassword] = useState(noPassword)
  const { mutate, isPending, error } = useAcceptInvitation()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate(
      { token, name, password: password.password },
      {
        onSuccess() {
          onDone()
          go('/', { replaces: true })
        },
      },
    )
  }
  if (error instanceof Problem && error.code === 'invitationRejected') return <LinkExpired />
  return (
    <Center component="main" mih="80vh" p="md">
      <Paper withBorder p="lg" w="100%" maw={420}>
        <form onSubmit={submit}>
          <Stack>
            <div>
              <Title order={1}>First administrator</Title>
              <Text size="sm" c="dimmed">
                {token === ''
                  ? 'Open this page with the complete link that the gateway printed at startup.'
                  : 'Choose your name and password. The link works once.'}
              </Text>
            </div>
            {token === '' ? (
              <Link to="/">Sign in</Link>
            ) : (
              <>
                {error && <ProblemAlert problem={error} />}
                <TextInput
                  label="Name"
                  value={name}
                  onChange={(event) => setName(event.currentTarget.value)}
                  error={findError(error, 'name')}
                  autoComplete="username"
                  maxLength={60}
                  required
                  withAsterisk={false}
                />
                <NewPasswordInputs value={password} error={error} onChange={setPassword} />
                <Button type="submit" loading={isPending} disabled={!isSame(password)}>
                  Create administrator
                </Button>
              </>
            )}
          </Stack>
        </form>
      </Paper>
    </Center>
  )
}

/** Shows both reasons, because the API does not reveal which one applies without sign-in. */
function LinkExpired() {
  return (
    <Center component="main" mih="80vh" p="md">
      <Paper withBorder p="lg" w="100%" maw={480}>
        <Stack>
          <Title order={1}>This link no longer works</Title>
          <Text size="sm">
            The link creates the first administrator. It works once and expires after a day. Nothing was changed.
          </Text>
          <div>
            <Title order={2}>If it has been used</Title>
            <Text size="sm" mb="xs">
              Sign in, or ask an administrator to add you or to set a new password.
            </Text>
            <Button component="a" href={hrefOf('/')} onClick={onLink('/')}>
              Sign in
            </Button>
          </div>
          <div>
            <Title order={2}>If it has expired</Title>
            <Text size="sm">
              Run <code>ig administrator invite</code> on the gateway's machine to create a new link. This works until
              the first administrator exists.
            </Text>
          </div>
        </Stack>
      </Paper>
    </Center>
  )
}
