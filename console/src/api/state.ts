/** The state of the gateway (`GET /api/state`). */
import { useQuery } from '@tanstack/react-query'
import { api, read } from './client.ts'

export function useGatewayState() {
  return useQuery({ queryKey: ['state'], queryFn: () => read(api.GET('/api/state')) })
}
