/** What the one-time link opens: the first administrator's name and password (specification 18.5, 19.14). */
import { Button, Center, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Problem } from './api/client.ts'
import { useAcceptInvitation } from './api/session.ts'
import { findFault } from './parts/find-fault.ts'
import { isSame, NewPasswordInputs, noPassword } from './parts/new-password.tsx'
import { ProblemAlert } from './parts/problem-alert.tsx'
import { go, hrefOf, Link, onLink } from './router.tsx'

export const setupPath = '/setup'

/** Read once, and out of the address at once: the browser's history is no place for it. */
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
  if (error instanceof Problem && error.code === 'invitationRejected') return <LinkIsOver />
  return (
    <Center component="main" mih="80vh" p="md">
      <Paper withBorder p="lg" w="100%" maw={420}>
        <form onSubmit={submit}>
          <Stack>
            <div>
              <Title order={1}>First administrator</Title>
              <Text size="sm" c="dimmed">
                {token === ''
                  ? 'This page works only with the whole link that the gateway printed when it started.'
                  : 'Choose the name and the password by which you administer this gateway. The link works once.'}
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
                  error={findFault(error, 'name')}
                  autoComplete="username"
                  maxLength={60}
                  required
                  withAsterisk={false}
                />
                <NewPasswordInputs value={password} error={error} onChange={setPassword} />
                <Button type="submit" loading={isPending} disabled={!isSame(password)}>
                  Make the administrator
                </Button>
              </>
            )}
          </Stack>
        </form>
      </Paper>
    </Center>
  )
}

/** The API tells nobody who is not signed in which of both it is. */
function LinkIsOver() {
  return (
    <Center component="main" mih="80vh" p="md">
      <Paper withBorder p="lg" w="100%" maw={480}>
        <Stack>
          <Title order={1}>This link no longer works</Title>
          <Text size="sm">It makes the first administrator, once, within a day. Nothing was changed now.</Text>
          <div>
            <Title order={2}>If it was used already</Title>
            <Text size="sm" mb="xs">
              There is an administrator: sign in, or ask that person to add you. Another administrator also gives a new
              password, where one is lost.
            </Text>
            <Button component="a" href={hrefOf('/')} onClick={onLink('/')}>
              Sign in
            </Button>
          </div>
          <div>
            <Title order={2}>If nobody has used it</Title>
            <Text size="sm">
              On the machine of the gateway, <code>ig invite</code> makes a new one, as long as there is no
              administrator.
            </Text>
          </div>
        </Stack>
      </Paper>
    </Center>
  )
}
