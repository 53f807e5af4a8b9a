/** What each step of a call decided, in the words of `ig explain` (specification 15.3). */
import { Badge, Table, Text } from '@mantine/core'
import type { Schemas } from '../api/client.ts'
import { good } from '../theme.ts'

type Decision = Schemas['Tried']['decisions'][number]

const colours: Readonly<Record<Decision['outcome'], string>> = {
  passed: good,
  'would pass': 'gray.7',
  refused: 'red.9',
  'would refuse': 'gray.7',
  failed: 'red.9',
  'not reached': 'gray.7',
  'not run': 'gray.7',
}

export function StepList({ decisions }: { readonly decisions: readonly Decision[] }) {
  return (
    <div className="wide">
      <Table className="stacked" aria-label="Steps">
        <Table.Tbody>
          {decisions.map(({ step, outcome, refusal, text, details = [] }) => (
            <Table.Tr key={step}>
              <Table.Th scope="row">{step}</Table.Th>
              <Table.Td>
                <Badge color={colours[outcome]}>{outcome}</Badge>
              </Table.Td>
              <Table.Td>
                {refusal !== undefined && <b>{refusal}: </b>}
                <span className="text">{text}</span>
                {details.map((detail) => (
                  <Text key={detail} size="xs" c="dimmed" className="mono">
                    {detail}
                  </Text>
                ))}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}
