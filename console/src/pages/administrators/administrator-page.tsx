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
import { fields } from '../../api/fields.ts'
import { useSession } from '../../api/session.ts'
import { ConfirmChange, Dialog } from '../../parts/confirm.tsx'
import { ActionFields } from '../../parts/fields.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { isSame, NewPasswordInputs, noPassword } from '../../parts/new-password.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { SavedPart } from '../../parts/saved-part.tsx'
import { useToast } from '../../parts/toast.tsx'

const role = fields.createAdministrator.filter(({ path }) => path === 'role')

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
              {({ fields: value, error, set }) => (
                <ActionFields fields={role} value={value} error={error} onChange={set} />
              )}
            </SavedPart>
            <Text size="sm" c="dimmed">
              Added <Moment time={value.created} />
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
  const lock = useLockAdministrator(name)
  const resetFactors = useResetSecondFactors(name)
  const [isAsked, asking] = useDisclosure(false)
  const [isChanging, changing] = useDisclosure(false)
  const [isResetting, resetting] = useDisclosure(false)
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
      {isResetting && (
        <ConfirmChange
          title={`Remove the second factors of ${name}?`}
          action="Remove"
          isDangerous
          change={resetFactors}
          input={undefined}
          says={() => `Second factors of ${name} removed.`}
          onClose={resetting.close}
        >
          The administrator signs in with the password alone until a second factor is added again. All sessions of the
          administrator end.
        </ConfirmChange>
      )}
      {isChanging && <ChangePassword name={name} isSelf={isSelf} onClose={changing.close} />}
      {isAsked && (
        <ConfirmChange
          title={`${isLocked ? 'Unlock' : 'Lock'} ${name}?`}
          action={isLocked ? 'Unlock' : 'Lock'}
          isDangerous={!isLocked}
          change={lock}
          input={!isLocked}
          says={() => `${name} ${isLocked ? 'unlocked' : 'locked'}.`}
          onClose={asking.close}
        >
          {isLocked
            ? 'The administrator can sign in again, and API tokens are accepted until they expire.'
            : `All sessions and API tokens are refused immediately.${isSelf ? ' This is your own account: you will be signed out.' : ''}`}
        </ConfirmChange>
      )}
    </Group>
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
