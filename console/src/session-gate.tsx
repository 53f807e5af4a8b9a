/**
 * Requires sign-in. If a session ends while a page is open, the sign-in dialog opens above it, so no input is lost
 * (specification 19.4).
 */
import { Button, Center, Group, Loader, Modal, Paper, Stack, Text, Title } from '@mantine/core'
import { lazy, Suspense, useDeferredValue, useEffect, useState } from 'react'
import { watchSessionEnd } from './api/client.ts'
import { useOtherSession, useSession, useSignOut } from './api/session.ts'
import { ProblemAlert } from './parts/problem-alert.tsx'
import { SessionEnded } from './parts/session-ended.ts'
import { ContinueWithProvider, SignInPage } from './parts/sign-in.tsx'
import { SignInForm } from './parts/sign-in-form.tsx'
import { usePlace } from './router.tsx'
import { Setup, setupPath } from './setup.tsx'
import { Shell } from './shell.tsx'

const SecondFactors = lazy(async () => {
  const { SecondFactors } = await import('./pages/account/second-factors.tsx')
  return { default: SecondFactors }
})

export function SessionGate() {
  const { data: session, error, refetch } = useSession()
  const [hasEnded, setHasEnded] = useState(false)
  const { path } = usePlace()
  const isKnown = useDeferredValue(session !== undefined) // renders the page in slices
  useEffect(() => watchSessionEnd(() => setHasEnded(true)), [])
  useOtherSession()

  const onSignedIn = () => setHasEnded(false)
  if (path === setupPath) return <Setup onDone={onSignedIn} />
  if (session === undefined || !isKnown) {
    return (
      <Center mih="60vh" p="md">
        {error ? <ProblemAlert problem={error} onRetry={() => void refetch()} /> : <Loader aria-label="Loading" />}
      </Center>
    )
  }
  if (session === null) {
    return (
      <Center component="main" mih="80vh" p="md">
        <Paper withBorder p="lg" w="100%" maw={380}>
          <SignInPage onDone={onSignedIn} />
          <Text size="sm" c="dimmed" mt="lg">
            On its first start the gateway prints a link to create the first administrator. If you lost your password,
            ask another administrator for a new one.
          </Text>
        </Paper>
      </Center>
    )
  }
  if (session.lacksSecondFactor && !hasEnded) return <AddFirstFactor />
  return (
    <>
      <SessionEnded value={hasEnded}>
        <Shell session={session} />
      </SessionEnded>
      <Modal
        opened={hasEnded}
        onClose={() => {}}
        withCloseButton={false}
        title="Your session has ended"
        closeOnEscape={false}
        zIndex={300} // above open dialogs
      >
        <Text size="sm" mb="md">
          Sign in to continue. Your input is kept.
        </Text>
        {session.signsInWith === 'provider' ? (
          <ContinueWithProvider onDone={onSignedIn} />
        ) : (
          <SignInForm name={session.name} onDone={onSignedIn} />
        )}
      </Modal>
    </>
  )
}

/** Where a second factor is required, the session may do nothing else (specification 34.24). */
function AddFirstFactor() {
  const { mutate } = useSignOut()
  return (
    <Center component="main" mih="80vh" p="md">
      <Stack maw={480}>
        <Title order={1}>Add a second factor</Title>
        <Text size="sm">This gateway requires one. You can use the console afterwards.</Text>
        <Suspense fallback={<Loader aria-label="Loading" />}>
          <SecondFactors />
        </Suspense>
        <Group>
          <Button variant="default" onClick={() => mutate()}>
            Sign out
          </Button>
        </Group>
      </Stack>
    </Center>
  )
}
