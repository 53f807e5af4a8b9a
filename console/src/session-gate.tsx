/**
 * Signing in before anything else; where a session ends while a page is open, above it, so that nothing entered there is
 * lost (specification 19.4).
 */
import { Center, Loader, Modal, Paper, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { watchSession } from './api/client.ts'
import { useOtherSession, useSession } from './api/session.ts'
import { ProblemAlert } from './parts/problem-alert.tsx'
import { SessionOver } from './parts/session-over.ts'
import { SignInForm } from './parts/sign-in-form.tsx'
import { usePlace } from './router.tsx'
import { Setup, setupPath } from './setup.tsx'
import { Shell } from './shell.tsx'

export function SessionGate() {
  const { data: session, error, refetch } = useSession()
  const [isOver, setIsOver] = useState(false)
  const { path } = usePlace()
  useEffect(() => watchSession(() => setIsOver(true)), [])
  useOtherSession()

  const onSignedIn = () => setIsOver(false)
  if (path === setupPath) return <Setup onDone={onSignedIn} />
  if (session === undefined) {
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
          <SignInForm title="Integration Gateway" onDone={onSignedIn} />
          <Text size="sm" c="dimmed" mt="lg">
            A new gateway prints a link when it starts, which makes the first administrator. Who has lost a password
            gets a new one from another administrator.
          </Text>
        </Paper>
      </Center>
    )
  }
  return (
    <>
      <SessionOver value={isOver}>
        <Shell session={session} />
      </SessionOver>
      <Modal
        opened={isOver}
        onClose={() => {}}
        withCloseButton={false}
        title="Your session is over"
        closeOnEscape={false}
        zIndex={300} // above a dialog that is open
      >
        <Text size="sm" mb="md">
          Sign in to go on. What you entered is still there.
        </Text>
        <SignInForm name={session.name} onDone={onSignedIn} />
      </Modal>
    </>
  )
}
