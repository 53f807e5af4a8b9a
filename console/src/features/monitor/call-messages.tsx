/** Headers and bodies of a call, always as text, if they are kept and the role may read them (specification 21.12). */
import { Code, Stack, Text, Title } from '@mantine/core'
import { useMay } from '../../api/session.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { type Message, type TransactionDetail, useMessages } from './api.ts'

export function Messages({ found: { transactionId, hasMessages, operation } }: { readonly found: TransactionDetail }) {
  const messages = useMessages(transactionId, hasMessages)
  const mayRead = useMay('operator')
  if (!hasMessages) {
    return (
      <Text size="sm" c="dimmed">
        Headers and bodies are not kept{operation !== null && ": the operation's log detail is none"}.
      </Text>
    )
  }
  if (!mayRead) {
    return (
      <Text size="sm" c="dimmed">
        Your role cannot read headers and bodies. The roles operator and administrator can.
      </Text>
    )
  }
  return (
    <Loaded query={messages}>
      {({ request, response }) => (
        <>
          <MessageText title="Request" message={request} />
          <MessageText title="Response" message={response} />
        </>
      )}
    </Loaded>
  )
}

function MessageText({ title, message: { headers, body } }: { readonly title: string; readonly message: Message }) {
  return (
    <Stack component="section" gap="xs" aria-label={title}>
      <Title order={2}>{title}</Title>
      <Shown label={`${title} headers`}>
        {headers.map(({ name, value }) => `${name}: ${value}`).join('\n') || '(no headers)'}
      </Shown>
      {body === null ? (
        <Text size="sm" c="dimmed">
          The body is not kept: the operation's log detail is header.
        </Text>
      ) : (
        <Shown label={`${title} body`}>{body || '(no body)'}</Shown>
      )}
    </Stack>
  )
}

/** Always text, never markup. */
function Shown({ label, children }: { readonly label: string; readonly children: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section aria-label={label} tabIndex={0} className="low">
      <Code block className="text">
        {children}
      </Code>
    </section>
  )
}
