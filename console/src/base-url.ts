/** The beginning of every operation's URL: the gateway's address, its path, and a node. */
import { useSettings } from './api/running.ts'
import { useGatewayState } from './api/statistics.ts'

/** @param node by default the default local node @returns undefined until it is known */
export function useBaseUrl(node?: string): string | undefined {
  const state = useGatewayState().data
  const folder = useSettings().data?.items.find(({ key }) => key === 'ig.gatewayPath')?.value
  return state && folder
    ? `${state.gatewayUrl}/${folder}/RESTListeningConnector/${node ?? state.defaultNode}`
    : undefined
}
