/** The keys that sign session tokens; administrators rotate and revoke them. */
import { Badge, Button } from '@mantine/core'
import { useState } from 'react'
import { useMay } from '../../api/session.ts'
import type { Column } from '../../parts/column.ts'
import { ConfirmChange } from '../../parts/confirm.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { showTime } from '../../parts/show-value.tsx'
import { good } from '../../theme.ts'
import { type SessionTokenKey, useRevokeSessionTokenKey, useRotateSessionTokenKey, useSessionTokenKeys } from './api.ts'

export default function SessionTokenKeys() {
  const keys = useSessionTokenKeys()
  const [isRotating, setIsRotating] = useState(false)
  const [revoked, setRevoked] = useState<string>()
  const [rotate, revoke] = [useRotateSessionTokenKey(), useRevokeSessionTokenKey()]
  const mayChange = useMay('administrator')
  const action: Column<SessionTokenKey> = {
    title: 'Revoke',
    isAction: true,
    show: ({ id, use }) =>
      use !== 'ended' && (
        <Button size="xs" variant="default" aria-label={`Revoke ${id}`} onClick={() => setRevoked(id)}>
          Revoke
        </Button>
      ),
  }
  return (
    <>
      <PageHead>{mayChange && <Button onClick={() => setIsRotating(true)}>Rotate</Button>}</PageHead>
      <Loaded query={keys} empty="No keys yet. The first one is created when an operation needs it.">
        {({ items }) => (
          <DataTable
            label="Session token keys"
            isStacked
            columns={mayChange ? [...fixed, action] : fixed}
            rows={items}
            keyOf={({ id }) => id}
          />
        )}
      </Loaded>
      {isRotating && (
        <ConfirmChange
          title="Rotate the key?"
          action="Rotate"
          change={rotate}
          input={undefined}
          says={({ id }) => `The key ${id} starts signing in three seconds.`}
          onClose={() => setIsRotating(false)}
        >
          A new key signs. Tokens of the previous key stay valid until they expire.
        </ConfirmChange>
      )}
      {revoked !== undefined && (
        <ConfirmChange
          title={`Revoke ${revoked}?`}
          action="Revoke"
          isDangerous
          change={revoke}
          input={revoked}
          says={() => `The key ${revoked} has ended.`}
          onClose={() => setRevoked(undefined)}
        >
          All its tokens are refused within a second, so their clients must sign in again.
        </ConfirmChange>
      )}
    </>
  )
}

const colours = { next: 'cached', signing: good, verifying: 'served', ended: 'failed' } as const

const fixed: readonly Column<SessionTokenKey>[] = [
  { title: 'Key', value: ({ id }) => id, show: ({ id }) => <span className="mono">{id}</span> },
  { title: 'Use', value: ({ use }) => use, show: ({ use }) => <Badge color={colours[use]}>{use}</Badge> },
  {
    title: 'Public key',
    value: ({ publicKey }) => publicKey,
    show: ({ publicKey }) => <span className="mono">{publicKey}</span>,
  },
  { title: 'Created', value: ({ created }) => created, show: ({ created }) => showTime(created) },
  { title: 'Ends', value: ({ ends }) => ends, show: ({ ends }) => ends !== null && showTime(ends) },
]
