/** One administrator: role, lock, new password. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import {
  type Administrator,
  useAdministrator,
  useChangeAdministrator,
  useLockAdministrator,
  useResetSecondFactors,
  useSetAdministratorPassword,
} from '../../api/administrators.ts'
import { useSession } from '../../api/session.ts'
import { ChooseRole } from '../../parts/choose-role.tsx'
import { Dialog } from '../../parts/confirm.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { isSame, NewPasswordInputs, noPassword } from '../../parts/new-password.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { SavedPart } from '../../parts/saved-part.tsx'
import { showTime } from '../../parts/show-value.tsx'
import { useToast } from '../../parts/toast.tsx'

export function AdministratorPage({ name }: { readonly name: string }) {
  const query = useAdministrator(name)
  const change = useChangeAdministrator(name)
  const { data: session } = useSession()
  return (
    <>
      <PageHead item={name}>
        {query.data && <Actions value={query.data.value} isSelf={session?.name === name} />}
      </PageHead>
      <Loaded query={query}>
        {({ value, etag }) => (
          <Stack maw={760}>
            {value.isLocked && (
              <Alert color="red" title="Locked" styles={{ title: { color: 'var(--mantine-color-text)' } }}>
                The administrator can no longer sign in, and API tokens are refused.
              </Alert>
            )}
            {isOfProvider(value) && (
              <Text size="sm">Signs in with the identity provider, which decides the role at each sign-in.</Text>
            )}
            <SavedPart
              title="Role"
              hint="Takes effect with the next request. An API token never has more rights than its owner."
              saved={{ fields: { role: value.role }, etag }}
              isReadOnly={isOfProvider(value)}
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
  readonly value: Administrator
  readonly isSelf: boolean
}

function isOfProvider({ signsInWith }: Administrator): boolean {
  return signsInWith === 'provider'
}

function Actions({ value, isSelf }: ActionsProps) {
  const { name, isLocked } = value
  const { mutate, isPending, error, reset } = useLockAdministrator(name)
  const [isAsked, asking] = useDisclosure(false)
  const [isChanging, changing] = useDisclosure(false)
  const [isResetting, resetting] = useDisclosure(false)
  const toast = useToast()
  const close = () => {
    reset()
    asking.close()
  }
  const setLocked = () =>
    mutate(!isLocked, {
      onSuccess() {
        close()
        toast(`${name} ${isLocked ? 'unlocked' : 'locked'}.`)
      },
    })
  return (
    <Group gap="xs">
      {!isOfProvider(value) && (
        <Button variant="default" onClick={changing.open}>
          New password
        </Button>
      )}
      <Button variant="default" onClick={asking.open}>
        {isLocked ? 'Unlock' : 'Lock'}
      </Button>
      {value.secondFactors > 0 && (
        <Button variant="default" onClick={resetting.open}>
          Remove second factors
        </Button>
      )}
      {isResetting && <ResetFactors name={name} onClose={resetting.close} />}
      {isChanging && <ChangePassword name={name} isSelf={isSelf} onClose={changing.close} />}
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
            ? 'The administrator can sign in again, and API tokens are accepted until they expire.'
            : `All sessions and API tokens are refused immediately.${isSelf ? ' This is your own account: you will be signed out.' : ''}`}
        </Text>
      </Dialog>
    </Group>
  )
}

function ResetFactors({ name, onClose }: { readonly name: string; onClose(): void }) {
  const { mutate, isPending, error } = useResetSecondFactors(name)
  const toast = useToast()
  const reset = () =>
    mutate(undefined, {
      onSuccess() {
        onClose()
        toast(`Second factors of ${name} removed.`)
      },
    })
  return (
    <Dialog
      title={`Remove the second factors of ${name}?`}
      isOpen
      action="Remove"
      isDangerous
      isPending={isPending}
      error={error}
      onClose={onClose}
      onConfirm={reset}
    >
      <Text size="sm">
        The administrator signs in with the password alone until a second factor is added again. All sessions of the
        administrator end.
      </Text>
    </Dialog>
  )
}

interface GivePasswordProps {
  readonly name: string
  readonly isSelf: boolean
  onClose(): void
}

function ChangePassword({ name, isSelf, onClose }: GivePasswordProps) {
  const [password, setPassword] = useState(noPassword)
  const { mutate, isPending, error } = useSetAdministratorPassword(name)
  const toast = useToast()
  const save = () =>
    mutate(password.password, {
      onSuccess() {
        onClose()
        toast(`Password of ${name} changed.`)
      },
    })
  return (
    <Dialog
      title={`New password for ${name}`}
      isOpen
      action="Set"
      isDisabled={!isSame(password)}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onConfirm={save}
    >
      <Text size="sm">
        This ends all sessions and API tokens of the administrator
        {isSelf ? ', including this session. To keep it, change your password under Your account' : ''}.
      </Text>
      <NewPasswordInputs value={password} error={error} isFirst onChange={setPassword} />
    </Dialog>
  )
}
