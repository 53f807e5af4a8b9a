/** One of the people who administer: role, lock, a new password. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import {
  type Administrator,
  useAdministrator,
  useChangeAdministrator,
  useSetAdministratorPassword,
} from '../../api/administrators.ts'
import type { Tagged } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { ChooseRole } from '../../parts/choose-role.tsx'
import { Dialog } from '../../parts/confirm.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { isSame, NewPasswordInputs, noPassword } from '../../parts/new-password.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { SavedPart } from '../../parts/saved-part.tsx'
import { useSay } from '../../parts/say.tsx'
import { showTime } from '../../parts/show-value.tsx'

export function AdministratorPage({ name }: { readonly name: string }) {
  const query = useAdministrator(name)
  const change = useChangeAdministrator(name)
  const { data: session } = useSession()
  return (
    <>
      <PageHead title={name} of={{ title: 'Administrators', path: '/administrators' }}>
        {query.data && <Actions read={query.data} isSelf={session?.name === name} />}
      </PageHead>
      <Loaded query={query}>
        {({ value, etag }) => (
          <Stack maw={760}>
            {value.isLocked && (
              <Alert color="red" title="Locked" styles={{ title: { color: 'var(--mantine-color-text)' } }}>
                Nobody can sign in by this name, and its API tokens are refused.
              </Alert>
            )}
            <SavedPart
              title="What it may do"
              hint="In force with the next request. An API token never has more than the one who made it."
              saved={{ fields: { role: value.role }, etag }}
              isReadOnly={false}
              save={(fields, seen) => change.mutateAsync({ ...fields, etag: seen })}
              reread={async () => {
                const { data } = await query.refetch()
                return data && { fields: { role: data.value.role }, etag: data.etag }
              }}
            >
              {({ fields, set }) => <ChooseRole value={fields.role} onChange={(role) => set({ role })} />}
            </SavedPart>
            <Text size="sm" c="dimmed">
              Added {showTime(value.created)}
            </Text>
          </Stack>
        )}
      </Loaded>
    </>
  )
}

interface ActionsProps {
  readonly read: Tagged<Administrator>
  readonly isSelf: boolean
}

function Actions({ read: { value, etag }, isSelf }: ActionsProps) {
  const { name, isLocked } = value
  const { mutate, isPending, error, reset } = useChangeAdministrator(name)
  const [isAsked, asking] = useDisclosure(false)
  const [isGiven, giving] = useDisclosure(false)
  const say = useSay()
  const close = () => {
    reset()
    asking.close()
  }
  const setLocked = () =>
    mutate(
      { isLocked: !isLocked, etag },
      {
        onSuccess() {
          close()
          say(`${name} is ${isLocked ? 'unlocked' : 'locked'}.`)
        },
      },
    )
  return (
    <Group gap="xs">
      <Button variant="default" onClick={giving.open}>
        New password
      </Button>
      <Button variant="default" onClick={asking.open}>
        {isLocked ? 'Unlock' : 'Lock'}
      </Button>
      {isGiven && <GivePassword name={name} isSelf={isSelf} onClose={giving.close} />}
      <Dialog
        title={`${isLocked ? 'Unlock' : 'Lock'} ${name}?`}
        isOpen={isAsked}
        action={isLocked ? 'Unlock' : 'Lock'}
        isDangerous={!isLocked}
        isPending={isPending}
        error={error}
        onClose={close}
        onConfirm={setLocked}
      >
        <Text size="sm">
          {isLocked
            ? 'It can sign in again, and its API tokens are accepted until they expire.'
            : `Its sessions and API tokens are refused at once.${isSelf ? ' This is you: you would be signed out.' : ''}`}
        </Text>
      </Dialog>
    </Group>
  )
}

interface GivePasswordProps {
  readonly name: string
  readonly isSelf: boolean
  onClose(): void
}

function GivePassword({ name, isSelf, onClose }: GivePasswordProps) {
  const [password, setPassword] = useState(noPassword)
  const { mutate, isPending, error } = useSetAdministratorPassword(name)
  const say = useSay()
  const save = () =>
    mutate(password.password, {
      onSuccess() {
        onClose()
        say(`${name} has a new password.`)
      },
    })
  return (
    <Dialog
      title={`Password of ${name}`}
      isOpen
      action="Set"
      isDisabled={!isSame(password)}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onConfirm={save}
    >
      <Text size="sm">
        Every session and API token of the name ends
        {isSelf ? ', this one too: under your name, above on the right, it would stay' : ''}.
      </Text>
      <NewPasswordInputs value={password} error={error} isFirst onChange={setPassword} />
    </Dialog>
  )
}
