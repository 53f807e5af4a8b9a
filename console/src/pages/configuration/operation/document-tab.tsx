/** The document template of an operation: a message and its document. */
import { Table, Title } from '@mantine/core'
import { useItem } from '../../../api/items.ts'
import { useCurrentDraft } from '../../../current-draft.tsx'
import { pathOf, type Value } from '../../../lists.ts'
import { type Editing, Fields } from '../../../parts/fields.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { breakLongWords } from '../../../parts/long-words.tsx'
import { Link } from '../../../router.tsx'

export function DocumentTab({ editing }: Editing) {
  const { document, query } = useDocument(editing.value)
  return (
    <>
      <Fields
        editing={editing}
        fields={[
          {
            path: 'documentTemplate',
            label: 'Document template',
            kind: 'reference',
            of: 'messages',
            help: 'A message of type Document, with an element for each variable of the URI templates',
          },
        ]}
      />
      {document !== '' && (
        <Loaded query={query}>
          {({ value }) => (
            <section className="wide">
              <Title order={2}>
                Document{' '}
                <Link to={pathOf('documents', document)} underline="always" inherit>
                  {document}
                </Link>
              </Title>
              <Table>
                <Table.Thead>
                  <Table.Tr>
                    {['Element', 'Type'].map((head) => (
                      <Table.Th key={head} scope="col">
                        {head}
                      </Table.Th>
                    ))}
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {Object.entries((value.elements ?? {}) as Record<string, Value>).map(([name, element]) => (
                    <Table.Tr key={name}>
                      <Table.Td className="mono">{name}</Table.Td>
                      <Table.Td>{breakLongWords(reportElement(element))}</Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </section>
          )}
        </Loaded>
      )}
    </>
  )
}

/** Finds the document of the message that is the document template. */
export function useDocument(value: Value) {
  const { draft } = useCurrentDraft()
  const named = typeof value.documentTemplate === 'string' ? value.documentTemplate : ''
  const message = useItem('messages', draft, named)
  const document = typeof message.data?.value.document === 'string' ? message.data.value.document : ''
  const found = useItem('documents', draft, document)
  return { document, query: found, elements: (found.data?.value.elements ?? {}) as Value }
}

function reportElement({ type, length, isRequired, isCollection, values }: Value): string {
  return [
    `${isCollection ? 'collection of ' : ''}${type}`,
    ...(length === undefined ? [] : [`maximum length ${length}`]),
    ...(isRequired ? ['required'] : []),
    ...(Array.isArray(values) ? [`one of ${values.join(', ')}`] : []),
  ].join(', ')
}
