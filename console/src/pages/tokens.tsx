/** API tokens: the user's own, or all for administrators (specification 18.11). */
import { Badge, Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { type ApiToken, readAllTokens, useRevokeToken, useTokens } from '../api/administrators.ts'
import { gatewayClock } from '../api/clock.ts'
import type { Column } from '../parts/column.ts'
import { ConfirmChange } from '../parts/confirm.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { Empty } from '../parts/empty.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Moment } from '../parts/moment.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Pages, useListQuery } from '../parts/paging.tsx'
import { showTime } from '../parts/show-value.tsx'
import { useParameter } from '../router.tsx'
import { good } from '../theme.ts'
import { MakeToken } from './tokens/make-token.tsx'

export default function Tokens() {
  const query = useTokens(useListQuery())
  const [add, setAdd] = useParameter('add')
  const [revoked, setRevoked] = useState<ApiToken>()
  const revoke = useRevokeToken()
  return (
    <>
      <PageHead>
        <Button onClick={() => setAdd('yes')}>Create token</Button>
      </PageHead>
      <Stack>
        <Text size="sm" c="dimmed">
          Scripts authenticate with a token: <span className="mono">authorization: Bearer …</span>
        </Text>
        <Loaded
          query={query}
          empty={<Empty message="No tokens yet." action="Create the first token" to="/tokens?add=yes" />}
        >
          {({ items, ...page }) => (
            <>
              <DataTable
                label="API tokens"
                isStacked
                isPart
                readAll={readAllTokens}
                columns={columnsFor(setRevoked)}
                rows={items}
                keyOf={({ id }) => id}
              />
              <Pages {...page} />
            </>
          )}
        </Loaded>
      </Stack>
      {add === 'yes' && <MakeToken onClose={() => setAdd('')} />}
      {revoked && (
        <ConfirmChange
          title={`Revoke ${revoked.name}?`}
          action="Revoke"
          isDangerous
          change={revoke}
          input={revoked.id}
          says={() => `${revoked.name} revoked.`}
          onClose={() => setRevoked(undefined)}
        >
          Requests with this token are refused immediately. You cannot undo this.
        </ConfirmChange>
      )}
    </>
  )
}

type State = 'active' | 'expired' | 'revoked'
const colours: Readonly<Record<State, string>> = { active: good, expired: 'served', revoked: 'served' }

function stateOf({ revoked, expires }: ApiToken): State {
  if (revoked !== null) return 'revoked'
  return Date.parse(expires) <= gatewayClock.now() ? 'expired' : 'active'
}

function columnsFor(onRevoke: (token: ApiToken) => void): readonly Column<ApiToken>[] {
  return [
    { title: 'Name', sort: 'name', value: ({ name }) => name },
    { title: 'Role', sort: 'role', value: ({ role }) => role },
    { title: 'Owner', isOnlyWide: true, sort: 'administrator', value: ({ administrator }) => administrator },
    {
      title: 'Created',
      isOnlyWide: true,
      sort: 'created',
      value: ({ created }) => created,
      show: ({ created }) => showTime(created),
    },
    {
      title: 'Expires',
      sort: 'expires',
      value: ({ expires, revoked }) => revoked ?? expires,
      show: ({ expires, revoked }) => showTime(revoked ?? expires),
    },
    {
      title: 'Last use',
      sort: 'used',
      isNumber: true,
      value: ({ used }) => used,
      show: ({ used }) => (used === null ? '–' : <Moment time={used} isRelative />),
    },
    {
      title: 'State',
      value: stateOf,
      show: (token) => <Badge color={colours[stateOf(token)]}>{stateOf(token)}</Badge>,
    },
    {
      title: 'Revoke',
      isAction: true,
      show: (token) =>
        stateOf(token) === 'active' && (
          <Button size="xs" variant="default" aria-label={`Revoke ${token.name}`} onClick={() => onRevoke(token)}>
            Revoke
          </Button>
        ),
    },
  ]
}
