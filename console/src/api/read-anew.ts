/** After a change: whatever may say otherwise now is asked again (specification 19.7). */
import type { QueryClient, QueryFilters } from '@tanstack/react-query'

/**
 * Also what is being asked for the first time: it may have been answered before the change, and invalidating alone would
 * wait for that answer, and take it for the new one.
 */
export async function readAnew(client: QueryClient, filters: QueryFilters): Promise<void> {
  await client.cancelQueries(filters)
  await client.invalidateQueries(filters)
}
