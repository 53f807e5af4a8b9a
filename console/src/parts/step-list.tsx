/** What each step of a call decided, in the words of `ig explain` (specification 15.3). */
import { Badge, Table, Text } from '@mantine/core'
import type { Schemas } from '../api/client.ts'
import { good } from '../theme.ts'

type Decision = Schemas['Tried']['decisions'][number]

const colours: Readonly<Record<Decision['outcome'], string>> = {
  passed: good,
  'would pass': 'served',
  refused: 'failed',
  'would refuse': 'served',
  failed: 'failed',
  'not reached': 'served',
  'not run': 'served',
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
