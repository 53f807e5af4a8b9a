/** The variables of the URI templates: their elements in the document template, or those that saving adds. */
import { Select, Table, Text } from '@mantine/core'
import { pathOf, type Value } from '../../../lists.ts'
import { documentField } from '../../../operation-tabs.ts'
import { elementTypes } from '../../../parts/elements.tsx'
import { type EditingProps, Fields } from '../../../parts/fields.tsx'
import { breakLongWords } from '../../../parts/long-words.tsx'
import { Link } from '../../../router.tsx'
import { type OperationAlongside, useDocument } from './alongside.ts'

export function Variables({ editing, alongside }: EditingProps & { readonly alongside: OperationAlongside }) {
  const { document, query, elements } = useDocument(editing.value)
  const { missing, types, setType } = alongside
  const isNamed = editing.value.documentTemplate !== undefined
  const known = Object.entries(elements) as [string, Value][]
  const mayAdd = editing.whyReadOnly === undefined
  if (missing.length === 0 && !isNamed) return null
  return (
    <>
      <Fields editing={editing} fields={documentField} isBare />
      {mayAdd && missing.length > 0 && !query.isLoading && (
        <Text size="sm" role="status">
          {document === ''
            ? 'Saving makes a document and a message with these variables, and names the message as the document template.'
            : `Saving adds the new variables to the document ${document}.`}
        </Text>
      )}
      <div className="wide">
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">
                {document === '' ? (
                  'Variable'
                ) : (
                  <>
                    Element of{' '}
                    <Link to={pathOf('documents', document)} underline="always" inherit>
                      {document}
                    </Link>
                  </>
                )}
              </Table.Th>
              <Table.Th scope="col">Type</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {known.map(([name, element]) => (
              <Table.Tr key={name}>
                <Table.Td className="mono">{name}</Table.Td>
                <Table.Td>{breakLongWords(describeElement(element))}</Table.Td>
              </Table.Tr>
            ))}
            {missing.map(({ name, isCollection }) => (
              <Table.Tr key={name}>
                <Table.Td className="mono">{name}</Table.Td>
                <Table.Td>
                  {mayAdd ? (
                    <Select
                      aria-label={`Type of ${name}`}
                      data={[...elementTypes]}
                      value={types[name] ?? 'String'}
                      onChange={(next) => setType(name, next ?? 'String')}
                      allowDeselect={false}
                      maw={160}
                      size="xs"
                    />
                  ) : (
                    'no element'
                  )}
                  {isCollection && ' collection'}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </>
  )
}

function describeElement({ type, length, isRequired, isCollection, values }: Value): string {
  return [
    `${isCollection ? 'collection of ' : ''}${type}`,
    ...(length === undefined ? [] : [`maximum length ${length}`]),
    ...(isRequired ? ['required'] : []),
    ...(Array.isArray(values) ? [`one of ${values.join(', ')}`] : []),
  ].join(', ')
}
