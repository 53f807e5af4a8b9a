/** The two settings that make a service app the active provider, ready to copy (specification 18.26). */
import { Button, Code, CopyButton, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useProviderMetadata } from '../api/items.ts'
import { useSettings } from '../api/running.ts'
import { useMay } from '../api/session.ts'
import type { Value } from '../lists.ts'
import { ProblemAlert } from './problem-alert.tsx'

export function ProviderSettings({ value }: { readonly value: Value }) {
  const name = String(value.name ?? '')
  const metadataUrl = String(value.metadataUrl ?? '')
  const metadata = useProviderMetadata(metadataUrl)
  const settings = useSettings()
  const mayFetch = useMay('administrator') && metadataUrl !== ''
  if (name === '' || !settings.data) return null
  const running = (key: string) => settings.data.items.find((setting) => setting.key === key)?.value ?? undefined
  const server = running('ig.AuthorizationServer')
  const keys = running('ig.JSONWebKey')
  const published = metadata.data?.jwksUri ?? (server === name ? keys : undefined)
  const lines = `ig.AuthorizationServer=${name}\nig.JSONWebKey=${published ?? ''}`
  const isRunning = server === name && keys !== undefined && keys === published
  return (
    <Paper withBorder p="md" component="section" aria-label="Settings">
      <Stack gap="sm">
        <Title order={2}>Settings</Title>
        <Text size="sm">
          {isRunning
            ? 'This process has these settings, so it accepts tokens of this provider.'
            : `This process does not have these settings${server === undefined ? '' : ` (ig.AuthorizationServer is ${server})`}. Activate the draft, add them to integrationGateway.properties and restart.`}
        </Text>
        <Group gap="xs" wrap="nowrap" align="flex-start">
          <Code block className="text" style={{ flexGrow: 1 }}>
            {lines}
          </Code>
          {published !== undefined && (
            <CopyButton value={`${lines}\n`}>
              {({ copied, copy }) => (
                <Button variant="default" size="xs" onClick={copy}>
                  {copied ? 'Copied' : 'Copy'}
                </Button>
              )}
            </CopyButton>
          )}
        </Group>
        {metadata.error && <ProblemAlert problem={metadata.error} />}
        {published === undefined && (
          <Group gap="sm">
            <Text size="sm">ig.JSONWebKey is the provider's jwks_uri.</Text>
            {mayFetch && (
              <Button variant="default" size="xs" loading={metadata.isFetching} onClick={() => void metadata.refetch()}>
                Fetch jwks_uri
              </Button>
            )}
          </Group>
        )}
      </Stack>
    </Paper>
  )
}
