/** The beginning of every operation's URL: the gateway's address, its path, and a node. */
import { useGatewayState } from './api/state.ts'

/** @param node by default the default local node @returns undefined until it is known */
export function useBaseUrl(node?: string): string | undefined {
  const { data } = useGatewayState()
  return data && `${data.gatewayUrl}/${data.gatewayPath}/RESTListeningConnector/${node ?? data.defaultNode}`
}
