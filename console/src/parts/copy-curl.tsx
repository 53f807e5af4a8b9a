/** Copies the call as a curl command, which asks for the password of the operator, or takes its token from the environment. */
import { Button, CopyButton } from '@mantine/core'
import { useBaseUrl } from '../base-url.ts'
import { type CurlCall, type Verification, writeCurl } from '../trial.ts'

export function CopyCurl({
  node,
  trial,
  verification,
}: {
  /** By default the default local node. */
  readonly node?: string | undefined
  readonly trial: CurlCall
  readonly verification: Verification | undefined
}) {
  const base = useBaseUrl(node)
  if (base === undefined) return null
  return (
    <CopyButton value={writeCurl(base, trial, verification)}>
      {({ copied, copy }) => (
        <Button variant="default" onClick={copy}>
          {copied ? 'Copied' : 'Copy as curl'}
        </Button>
      )}
    </CopyButton>
  )
}
