/** The user's second factors: authenticator apps, passkeys, recovery codes (specification 34.20 to 34.24). */
import { Badge, Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { type SecondFactor, useRefetchSecondFactors, useSecondFactors } from '../../api/second-factors.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { breakLongWords } from '../../parts/long-words.tsx'
import { Moment } from '../../parts/moment.tsx'
import { AddPasskey, AddTotp, RemoveFactor, ReplaceCodes } from './factor-dialogs.tsx'
import { ShowCodes } from './show-codes.tsx'

export function SecondFactors() {
  const query = useSecondFactors()
  const refetch = useRefetchSecondFactors()
  const [open, setOpen] = useState<'totp' | 'passkey' | 'codes' | SecondFactor>()
  const [codes, setCodes] = useState<readonly string[]>([])
  const close = () => setOpen(undefined)
  /** The codes first: a session that lacked a factor gets another page. */
  const onDone = (next: readonly string[] = []) => {
    close()
    setCodes(next)
    if (next.length === 0) void refetch()
  }
  const onCodesStored = () => {
    setCodes([])
    void refetch()
  }
  return (
    <Paper withBorder p="md" component="section">
      <Stack>
        <Title order={2}>Second factors</Title>
        <Text size="sm">
          With a second factor, your password alone is not enough to sign in. API tokens are not affected.
        </Text>
        <Loaded query={query}>
          {({ items, recoveryCodes, mayAddPasskey }) => (
            <Stack>
              {items.map((factor) => (
                <Factor key={factor.id} factor={factor} onRemove={() => setOpen(factor)} />
              ))}
              {items.length > 0 && (
                <Group justify="space-between" wrap="nowrap">
                  <Text size="sm">{recoveryCodes} recovery codes left</Text>
                  <Button variant="default" size="xs" flex="none" onClick={() => setOpen('codes')}>
                    New recovery codes
                  </Button>
                </Group>
              )}
              <Group gap="sm">
                <Button variant="default" onClick={() => setOpen('totp')}>
                  Add authenticator app
                </Button>
                <Button variant="default" onClick={() => setOpen('passkey')} disabled={!mayAddPasskey}>
                  Add passkey
                </Button>
              </Group>
              {!mayAddPasskey && (
                <Text size="sm" c="dimmed">
                  Passkeys need a host name: open the console under a name instead of an address, on this machine under
                  localhost.
                </Text>
              )}
            </Stack>
          )}
        </Loaded>
      </Stack>
      {open === 'totp' && <AddTotp onClose={close} onDone={onDone} />}
      {open === 'passkey' && <AddPasskey onClose={close} onDone={onDone} />}
      {open === 'codes' && <ReplaceCodes onClose={close} onDone={onDone} />}
      {typeof open === 'object' && <RemoveFactor factor={open} onClose={close} onDone={onDone} />}
      {codes.length > 0 && <ShowCodes codes={codes} onClose={onCodesStored} />}
    </Paper>
  )
}

function Factor({ factor, onRemove }: { readonly factor: SecondFactor; onRemove(): void }) {
  const { kind, name, created, used } = factor
  return (
    <Group justify="space-between" wrap="nowrap">
      <div>
        <Text size="sm">
          {breakLongWords(name)} <Badge color="gray">{kind === 'totp' ? 'Authenticator app' : 'Passkey'}</Badge>
        </Text>
        <Text size="xs" c="dimmed">
          Added <Moment time={created} />
          {used !== null && (
            <>
              , last used <Moment time={used} />
            </>
          )}
        </Text>
      </div>
      <Button variant="default" size="xs" flex="none" onClick={onRemove} aria-label={`Remove ${name}`}>
        Remove
      </Button>
    </Group>
  )
}
