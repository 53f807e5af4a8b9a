/** Leads from a transaction to Try it, filled with its method, URL and operator. */
import { Text } from '@mantine/core'
import { useMay } from '../../api/session.ts'
import { Link } from '../../router.tsx'
import type { TransactionDetail } from './api.ts'

/** The address up to the operation, which Try it adds. */
const base = /^(?:\/[^/]*){3}(?=\/)/

export function TryAgain({ found: { method, url, operator, operation } }: { readonly found: TransactionDetail }) {
  const mayTry = useMay('administrator')
  if (!mayTry || !base.test(url)) return null
  const query = new URLSearchParams({
    ...(operation !== null && { operation }),
    method,
    path: url.replace(base, ''),
    ...(operator !== null && { operator }),
  })
  return (
    <Text size="sm">
      <Link to={`/try?${query}`} size="sm" underline="always">
        Again in Try it
      </Link>{' '}
      (without its headers and body)
    </Text>
  )
}
