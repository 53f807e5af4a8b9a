/** One operator: description and addresses have a Save button; locks and grants take effect immediately. */
import { Alert, Button, Group, Paper, Stack, Text, Textarea, TextInput, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import type { TaggedValue } from '../../api/client.ts'
import { usePermissionLists } from '../../api/configuration.ts'
import {
  type Operator,
  useChangeOperator,
  useLockOperator,
  useOperator,
  useSetOperatorPassword,
} from '../../api/operators.ts'
import { useMay } from '../../api/session.ts'
import { factsOfOperator, latestCalls, operatorActions } from '../../features.ts'
import { Dialog } from '../../parts/confirm.tsx'
import { FeatureParts } from '../../parts/feature-parts.tsx'
import { findError } from '../../parts/find-error.ts'
import { GrantList } from '../../parts/grant-list.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { PasswordField, passwordRule } from '../../parts/password-field.tsx'
import { ProblemAlert } from '../../parts/problem-alert.tsx'
import { SavedPart } from '../../parts/saved-part.tsx'
import { useToast } from '../../parts/toast.tsx'
import { UsedBy } from '../../parts/used-by.tsx'
import { DeleteOperator } from './delete-operator.tsx'
import { Emails } from './emails.tsx'
import { MayCall } from './may-call.tsx'

export function OperatorPage({ id }: { readonly id: string }) {
  const query = useOperator(id)
  return (
    <>
      <PageHead item={id}>{query.data && <Actions operator={query.data.value} />}</PageHead>
      <Loaded query={query}>{(read) => <Parts id={id} read={read} refetch={query.refetch} />}</Loaded>
    </>
  )
}

interface PartsProps {
  readonly id: string
  readonly read: TaggedValue<Operator>
  refetch(): Promise<{ readonly data?: TaggedValue<Operator> | undefined }>
}

function Parts({ id, read, refetch }: PartsProps) {
  const mayChange = useMay('administrator')
  const change = useChangeOperator(id)
  const { isLocked, description, emails, certificates } = read.value
  const reread = async () => (await refetch()).data
  return (
    <div className="form-page">
      <Stack>
        {isLocked && (
          <Alert color="red" title="Locked" styles={{ title: { color: 'var(--mantine-color-text)' } }}>
            All its calls are refused on all instances within a second. Its permission lists are kept.
          </Alert>
        )}
        <SavedPart
          title="Description"
          saved={{ fields: { description }, etag: read.etag }}
          isReadOnly={!mayChange}
          save={(fields, etag) => change.mutateAsync({ ...fields, etag })}
          reread={async () => pick(await reread(), 'description')}
        >
          {({ fields, set, error }) => (
            <TextInput
              aria-label="Description"
              value={fields.description}
              readOnly={!mayChange}
              onChange={(event) => set({ description: event.currentTarget.value })}
              error={findError(error, 'description')}
            />
          )}
        </SavedPart>
        <SavedPart
          title="E-mail addresses"
          hint="An OAuth2 token must contain one of them, in the same letter case."
          saved={{ fields: { emails }, etag: read.etag }}
          isReadOnly={!mayChange}
          save={(fields, etag) => change.mutateAsync({ ...fields, etag })}
          reread={async () => pick(await reread(), 'emails')}
        >
          {({ fields, set, error }) => (
            <Emails
              emails={fields.emails}
              isReadOnly={!mayChange}
              error={error}
              onChange={(next) => set({ emails: next })}
            />
          )}
        </SavedPart>
        <SavedPart
          title="Client certificates"
          hint="For operations with the verification Certificate: sha256:<fingerprint>, or subject: <name>; issuer: <name>, one per line."
          saved={{ fields: { certificates }, etag: read.etag }}
          isReadOnly={!mayChange}
          save={(fields, etag) =>
            change.mutateAsync({ certificates: fields.certificates.filter((line) => line.trim() !== ''), etag })
          }
          reread={async () => pick(await reread(), 'certificates')}
        >
          {({ fields, set, error }) => (
            <Textarea
              aria-label="Client certificates"
              value={fields.certificates.join('\n')}
              readOnly={!mayChange}
              onChange={(event) => set({ certificates: event.currentTarget.value.split('\n') })}
              classNames={{ input: 'mono' }}
              error={
                findError(error, 'certificates') ??
                fields.certificates.map((_, at) => findError(error, `certificates[${at}]`)).find((each) => each)
              }
              rows={1}
            />
          )}
        </SavedPart>
        <Grants operator={read.value} />
        <FeatureParts parts={latestCalls} props={{ query: { operator: id }, ofWhom: 'of this caller' }} />
      </Stack>
      <div className="facts">
        <MayCall operator={read.value} />
        <FeatureParts parts={factsOfOperator} props={{ id }} />
        <UsedBy list="operators" id={id} />
      </div>
    </div>
  )
}

function pick<Key extends keyof Operator>(read: TaggedValue<Operator> | undefined, key: Key) {
  if (!read) return undefined
  return { fields: { [key]: read.value[key] } as Pick<Operator, Key>, etag: read.etag }
}

function Grants({ operator }: { readonly operator: Operator }) {
  const lists = usePermissionLists()
  return (
    <Paper withBorder p="md">
      <Title order={2} mb={4}>
        Permission lists
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        Changes take effect within a second.
      </Text>
      <Loaded query={lists} empty="The configuration has no permission lists.">
        {({ items }) => (
          <GrantList
            operator={operator}
            lists={[...new Set([...items.map((list) => list.id), ...operator.permissionLists])].map((name) => ({
              name,
              description: items.find((list) => list.id === name)?.value.description,
            }))}
          />
        )}
      </Loaded>
    </Paper>
  )
}

function Actions({ operator }: { readonly operator: Operator }) {
  const { id, isLocked, hasPassword } = operator
  const lock = useLockOperator()
  const [isChanging, changing] = useDisclosure(false)
  const [isDeleting, deleting] = useDisclosure(false)
  const mayChange = useMay('administrator')
  const mayLock = useMay('operator')
  const toast = useToast()
  const setLocked = () =>
    lock.mutate({ id, isLocked: !isLocked }, { onSuccess: () => toast(`${id} ${isLocked ? 'unlocked' : 'locked'}.`) })
  return (
    <Group gap="xs">
      {mayChange && (
        <Button variant="default" onClick={changing.open}>
          {hasPassword ? 'New password' : 'Set password'}
        </Button>
      )}
      {mayLock && (
        <Button variant="default" onClick={setLocked} loading={lock.isPending}>
          {isLocked ? 'Unlock' : 'Lock'}
        </Button>
      )}
      {mayLock && <FeatureParts parts={operatorActions} props={{ id }} />}
      {mayChange && (
        <Button variant="default" onClick={deleting.open}>
          Delete
        </Button>
      )}
      {isDeleting && <DeleteOperator operator={operator} onClose={deleting.close} />}
      {isChanging && <ChangePassword id={id} onClose={changing.close} />}
      {lock.error && <ProblemAlert problem={lock.error} />}
    </Group>
  )
}

function ChangePassword({ id, onClose }: { readonly id: string; onClose(): void }) {
  const [password, setPassword] = useState('')
  const { mutate, isPending, error } = useSetOperatorPassword(id)
  const toast = useToast()
  const save = () =>
    mutate(password, {
      onSuccess() {
        onClose()
        toast(`Password of ${id} changed.`)
      },
    })
  return (
    <Dialog
      title={`New password for ${id}`}
      isOpen
      action="Set"
      isPending={isPending}
      error={error}
      onClose={onClose}
      onConfirm={save}
    >
      <PasswordField
        label="New password"
        description={`${passwordRule} The old password is refused within a second.`}
        value={password}
        onChange={setPassword}
        error={findError(error, 'password')}
        required
        data-autofocus
      />
    </Dialog>
  )
}
