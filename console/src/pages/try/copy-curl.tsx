/** Copies the call as a curl command, which asks for the password of the operator. */
import { Button, CopyButton } from '@mantine/core'
import { useSettings } from '../../api/running.ts'
import { useGatewayState } from '../../api/statistics.ts'
import { type Trial, writeCurl } from './trial.ts'

export function CopyCurl({ trial }: { readonly trial: Trial }) {
  const state = useGatewayState().data
  const folder = useSettings().data?.items.find(({ key }) => key === 'ig.gatewayPath')?.value
  if (!state || !folder) return null
  const base = `${state.gatewayUrl}/${folder}/RESTListeningConnector/${state.defaultNode}`
  return (
    <CopyButton value={writeCurl(base, trial)}>
      {({ copied, copy }) => (
        <Button variant="default" onClick={copy}>
          {copied ? 'Copied' : 'Copy as curl'}
        </Button>
      )}
    </CopyButton>
  )
}
