/** Refetches the data that a change may have affected (specification 19.7). */
import type { QueryClient, QueryFilters } from '@tanstack/react-query'

/**
 * Also cancels first requests that are in flight: their response may be older than the change, and invalidating alone
 * would wait for it and treat it as current.
 */
export async function refetch(client: QueryClient, filters: QueryFilters): Promise<void> {
  await client.cancelQueries(filters)
  await client.invalidateQueries(filters)
}
