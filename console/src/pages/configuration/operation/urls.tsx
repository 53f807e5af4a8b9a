/** The URLs of an operation as it is edited, at a node, ready to copy. */
import { Button, CopyButton, Group, Paper, Select, Skeleton, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { segmentOf } from '../../../../../src/model/operation-name.ts'
import { useItems } from '../../../api/items.ts'
import { useBaseUrl } from '../../../base-url.ts'
import { useCurrentDraft } from '../../../current-draft.tsx'
import type { Value } from '../../../lists.ts'
import { templatesOf } from './alongside.ts'

/** Keeps the place of a node's URL until it is known: about as long. */
const likely = `${location.origin}/PSIGW/RESTListeningConnector/LOCAL_NODE`

export function Urls({ operation }: { readonly operation: Value }) {
  const { draft } = useCurrentDraft()
  const nodes = useItems('nodes', draft, { limit: 500 }).data?.items ?? []
  const [node, setNode] = useState<string>()
  const base = useBaseUrl(node)
  const names = nodes.flatMap(({ id, value }) => (value.isActive === false || value.defaultUser ? [] : [id]))
  const { alias, name, version = 'v1', method } = operation
  const segment = segmentOf({ alias: String(alias ?? (name || '…')), version: String(version) })
  const templates = templatesOf(operation)
  const urls = (templates.length === 0 ? [''] : templates).map(
    (template) => `${base ?? likely}/${segment}/${template.replace(/^\//, '')}`,
  )
  return (
    <Paper withBorder p="md" component="section" aria-label="URLs">
      <Stack gap="xs">
        {base !== undefined && names.length > 1 && (
          <Select
            label="Node"
            description="Every operation can be called at every active node"
            data={names}
            value={node ?? base.slice(base.lastIndexOf('/') + 1)}
            onChange={(next) => setNode(next ?? undefined)}
            allowDeselect={false}
            maw={320}
          />
        )}
        {[...new Set(urls)].map((url) => (
          <Group key={url} gap="xs" wrap="nowrap" align="flex-start">
            <Skeleton visible={base === undefined} style={{ flexGrow: 1, minWidth: 0 }}>
              <Text size="sm" className="mono">
                <b>{String(method)}</b> {url}
              </Text>
            </Skeleton>
            <CopyButton value={url}>
              {({ copied, copy }) => (
                <Button
                  variant="default"
                  size="compact-xs"
                  onClick={copy}
                  disabled={base === undefined}
                  style={{ flexShrink: 0 }}
                >
                  {copied ? 'Copied' : 'Copy URL'}
                </Button>
              )}
            </CopyButton>
          </Group>
        ))}
      </Stack>
    </Paper>
  )
}
