/** Which limits an operation has, and who is limited now, beside its figures. */
import { Paper, Text, Title } from '@mantine/core'
import { useItems } from '../../api/items.ts'
import { describeLimit, pathOf, type Value } from '../../lists.ts'
import type { OperationFactsProps } from '../../page.ts'
import { Link } from '../../router.tsx'
import { useLimited } from './api.ts'

export default function LimitFacts({ operation, value: { service } }: OperationFactsProps) {
  const { data } = useItems('limits', '', { limit: 500 })
  const limited = useLimited().data?.items ?? []
  const limits = data?.items.filter((limit) => appliesTo(limit.value, operation, service)) ?? []
  if (limits.length === 0) return null
  return (
    <Paper withBorder p="md" component="section" aria-label="Limits">
      <Title order={2} mb={4}>
        Limits
      </Title>
      {limits.map(({ id, value }) => {
        const isCounted = Array.isArray(value.by) && value.by.includes('operation')
        const those = limited.filter(
          ({ limit, subject }) => limit === id && (!isCounted || subject.split(' ')[0] === operation),
        )
        return (
          <Text key={id} size="sm" component="div">
            <Link to={pathOf('limits', id)} underline="always">
              {id}
            </Link>
            : {describeLimit(value)}
            {those.length > 0 && (
              <>
                {' · '}
                <Link to="/limited" c="var(--refused)" underline="always">
                  {those.length.toLocaleString('en')} limited now
                </Link>
              </>
            )}
          </Text>
        )
      })}
    </Paper>
  )
}

/** One without operations and services applies to all. */
function appliesTo({ operations, services }: Value, operation: string, service: unknown): boolean {
  const [named, of] = [(operations ?? []) as unknown[], (services ?? []) as unknown[]]
  return named.length + of.length === 0 || named.includes(operation) || of.includes(service)
}
