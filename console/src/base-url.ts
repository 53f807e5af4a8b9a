/** The beginning of every operation's URL: the gateway's address, its path, and a node. */
import { useQuery } from '@tanstack/react-query'
import { api, read } from './api/client.ts'

/** @param node by default the default local node @returns undefined until it is known */
export function useBaseUrl(node?: string): string | undefined {
  const { data } = useQuery({ queryKey: ['state'], queryFn: () => read(api.GET('/api/state')) })
  return data && `${data.gatewayUrl}/${data.gatewayPath}/RESTListeningConnector/${node ?? data.defaultNode}`
}
