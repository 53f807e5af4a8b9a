/** The operators that hold a permission list. */
import { Paper, Text, Title } from '@mantine/core'
import { useOperators } from '../api/operators.ts'
import { Link } from '../router.tsx'
import { Loaded } from './loaded.tsx'
import { breakLongWords } from './long-words.tsx'

export function Holders({ permissionList }: { readonly permissionList: string }) {
  const operators = useOperators({ permissionList, limit: 20 })
  const all = `/callers?permissionList=${encodeURIComponent(permissionList)}`
  return (
    <Paper withBorder p="md" component="section" aria-label="Holders">
      <Title order={2} mb={4}>
        Holders
      </Title>
      <Loaded query={operators}>
        {({ items, total }) => (
          <Text size="sm" component="div">
            {items.map(({ id, isLocked }, at) => (
              <span key={id}>
                {at > 0 && ', '}
                <Link to={`/callers/${encodeURIComponent(id)}`} underline="always">
                  {breakLongWords(id)}
                </Link>
                {isLocked && ' (locked)'}
              </span>
            ))}
            {total === 0
              ? 'No caller holds it. '
              : total > items.length
                ? `, of ${total.toLocaleString('en')}. `
                : '. '}
            <Link to={total === 0 ? '/callers' : all} underline="always">
              {total === 0 ? 'Callers' : 'Show in the list of callers'}
            </Link>
          </Text>
        )}
      </Loaded>
    </Paper>
  )
}
