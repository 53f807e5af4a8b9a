/** API tokens: one's own, of an administrator all; made, shown once, revoked (specification 18.11). */
import { Badge, Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { type ApiToken, useRevokeToken, useTokens } from '../api/administrators.ts'
import { Dialog } from '../parts/confirm.tsx'
import { type Column, DataTable, Pages, useListQuery } from '../parts/data-table.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { useSay } from '../parts/say.tsx'
import { showTime } from '../parts/show-value.tsx'
import { good } from '../theme.ts'
import { MakeToken } from './tokens/make-token.tsx'

export default function Tokens() {
  const { offset, limit } = useListQuery()
  const query = useTokens({ offset, limit })
  const [isMaking, setIsMaking] = useState(false)
  const [revoked, setRevoked] = useState<ApiToken>()
  return (
    <>
      <PageHead title="API tokens">
        <Button onClick={() => setIsMaking(true)}>Make a token</Button>
      </PageHead>
      <Stack>
        <Text size="sm" c="dimmed">
          A script sends one in place of signing in: <span className="mono">authorization: Bearer …</span>
        </Text>
        <Loaded query={query} empty="There is no token.">
          {({ items, ...page }) => (
            <>
              <DataTable
                label="API tokens"
                isStacked
                columns={columnsFor(setRevoked)}
                rows={items}
                keyOf={({ id }) => id}
              />
              <Pages {...page} />
            </>
          )}
        </Loaded>
      </Stack>
      {isMaking && <MakeToken onClose={() => setIsMaking(false)} />}
      {revoked && <Revoke token={revoked} onClose={() => setRevoked(undefined)} />}
    </>
  )
}

function Revoke({ token: { id, name }, onClose }: { readonly token: ApiToken; onClose(): void }) {
  const { mutate, isPending, error } = useRevokeToken()
  const say = useSay()
  const revoke = () =>
    mutate(id, {
      onSuccess() {
        onClose()
        say(`${name} is revoked.`)
      },
    })
  return (
    <Dialog
      title={`Revoke ${name}?`}
      isOpen
      action="Revoke"
      isDangerous
      isPending={isPending}
      error={error}
      onClose={onClose}
      onConfirm={revoke}
    >
      <Text size="sm">Its next request is refused. It cannot be taken back; make another one then.</Text>
    </Dialog>
  )
}

type State = 'in use' | 'expired' | 'revoked'
const colours: Readonly<Record<State, string>> = { 'in use': good, expired: 'gray.7', revoked: 'gray.7' }

function stateOf({ revoked, expires }: ApiToken): State {
  if (revoked !== null) return 'revoked'
  return Date.parse(expires) <= Date.now() ? 'expired' : 'in use'
}

function columnsFor(onRevoke: (token: ApiToken) => void): readonly Column<ApiToken>[] {
  return [
    { title: 'Name', show: ({ name }) => name },
    { title: 'Role', show: ({ role }) => role },
    { title: 'Of', isOnlyWide: true, show: ({ administrator }) => administrator },
    { title: 'Made', isOnlyWide: true, show: ({ created }) => showTime(created) },
    { title: 'Until', show: ({ expires, revoked }) => showTime(revoked ?? expires) },
    { title: 'State', show: (token) => <Badge color={colours[stateOf(token)]}>{stateOf(token)}</Badge> },
    {
      title: 'Revoke',
      isAction: true,
      show: (token) =>
        stateOf(token) === 'in use' && (
          <Button size="xs" variant="default" aria-label={`Revoke ${token.name}`} onClick={() => onRevoke(token)}>
            Revoke
          </Button>
        ),
    },
  ]
}
