/** What was sent to receivers of events; administrators send a test. */
import { Button, Text } from '@mantine/core'
import type { Schemas } from '../../api/client.ts'
import { useMay } from '../../api/session.ts'
import type { Column } from '../../parts/column.ts'
import { DataTable } from '../../parts/data-table.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { ProblemAlert } from '../../parts/problem-alert.tsx'
import { showTime } from '../../parts/show-value.tsx'
import { useToast } from '../../parts/toast.tsx'
import { useTestWebhooks, useWebhooks } from './api.ts'

type Delivery = Schemas['WebhookDelivery']

export default function WebhooksPage() {
  const webhooks = useWebhooks()
  const { mutate, isPending, error } = useTestWebhooks()
  const mayTest = useMay('administrator')
  const toast = useToast()
  const receivers = webhooks.data?.receivers ?? []
  const test = () => mutate(undefined, { onSuccess: () => toast('The test is sent within a second.') })
  return (
    <>
      <PageHead>
        {mayTest && receivers.length > 0 && (
          <Button variant="default" loading={isPending} onClick={test}>
            Send a test
          </Button>
        )}
      </PageHead>
      {error && <ProblemAlert problem={error} />}
      {webhooks.data && (
        <Text size="sm" mb="md">
          {receivers.length === 0
            ? 'No receivers are set: see ig.webhooks.urls on the Settings page.'
            : `Events are sent to ${receivers.join(', ')}. ${webhooks.data.waiting} waiting.`}
        </Text>
      )}
      <Loaded query={webhooks} empty="No events have been sent yet.">
        {({ items }) => (
          <DataTable
            label="Events"
            isStacked
            columns={columns}
            rows={items}
            keyOf={({ id, receiver }) => `${id} ${receiver}`}
          />
        )}
      </Loaded>
    </>
  )
}

const states = { waiting: 'waits', delivered: 'delivered', givenUp: 'given up' } as const

const columns: readonly Column<Delivery>[] = [
  { title: 'Event', value: ({ name }) => name, show: ({ name }) => <span className="mono">{name}</span> },
  {
    title: 'Receiver',
    value: ({ receiver }) => receiver,
    show: ({ receiver }) => <span className="mono">{receiver}</span>,
  },
  { title: 'State', value: ({ state }) => states[state] },
  { title: 'Attempts', isNumber: true, value: ({ attempts }) => attempts },
  { title: 'Created', value: ({ created }) => created, show: ({ created }) => showTime(created) },
  { title: 'Next attempt', value: ({ next }) => next, show: ({ next }) => next !== null && showTime(next) },
  { title: 'Last failure', value: ({ reason }) => reason },
]
