/** Signing in: with name and password, with the identity provider, or either (specification 34.1, 34.8). */
import { Alert, Anchor, Button, Center, Divider, Loader, Stack, Text, Title } from '@mantine/core'
import { useResume, useWaysToSignIn } from '../api/session.ts'
import { useParameter } from '../router.tsx'
import { ProblemAlert } from './problem-alert.tsx'
import { SignInForm } from './sign-in-form.tsx'

export function SignInPage({ onDone }: { onDone(): void }) {
  const { data, isPending } = useWaysToSignIn()
  const [refused] = useParameter('refused')
  const { passwords = true, provider } = data ?? {}
  if (isPending) return <Loading />
  return (
    <Stack>
      <div>
        <Title order={1}>Integration Gateway</Title>
        <Text c="dimmed" size="sm">
          Administration
        </Text>
      </div>
      {refused !== '' && <Refused code={refused} />}
      {provider && (
        <Button
          component="a"
          href={providerUrl(`${location.pathname.slice('/console'.length)}${placeWithout(refused)}`)}
        >
          {provider.label}
        </Button>
      )}
      {provider && passwords && <Divider label="or" />}
      {passwords && <SignInForm isSecond={provider != null} onDone={onDone} />}
    </Stack>
  )
}

/** In the dialog above a page: its input would be lost if the browser left for the provider. */
export function ContinueWithProvider({ onDone }: { onDone(): void }) {
  const { mutate, error, isPending } = useResume()
  return (
    <Stack>
      {error && <ProblemAlert problem={error} />}
      <Text size="sm">
        <Anchor href={providerUrl('/account')} target="_blank" underline="always" size="sm">
          Sign in in another tab
        </Anchor>
        , then come back here.
      </Text>
      <Button onClick={() => mutate(undefined, { onSuccess: onDone })} loading={isPending}>
        Continue
      </Button>
    </Stack>
  )
}

function Loading() {
  return (
    <Center mih={200}>
      <Loader aria-label="Loading" />
    </Center>
  )
}

function providerUrl(to: string): string {
  return `/api/session/provider?to=${encodeURIComponent(to)}`
}

function placeWithout(refused: string): string {
  return refused === '' ? location.search : ''
}

const reasons: Readonly<Record<string, string>> = {
  providerAway: 'The identity provider does not answer. Try again later.',
  providerRejected: "The sign-in was not valid or took too long. Try again. The gateway's log has the reason.",
  accessDenied: 'The identity provider knows you, but you have no access to this gateway. Ask an administrator.',
  nameTaken: "Another administrator has your name. Ask an administrator: the gateway's log has the reason.",
  storeAway: 'The database does not respond. Try again later.',
}

function Refused({ code }: { readonly code: string }) {
  return (
    <Alert
      color="red"
      variant="light"
      role="alert"
      title="You are not signed in"
      styles={{ title: { color: 'var(--mantine-color-text)' } }}
    >
      <Text size="sm">{reasons[code] ?? 'Signing in failed. Try again.'}</Text>
    </Alert>
  )
}
