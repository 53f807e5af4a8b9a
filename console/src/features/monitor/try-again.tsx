/** Makes a call again, without its headers and body: in Try it, or with curl. */
import { Button } from '@mantine/core'
import { useItem } from '../../api/items.ts'
import { useMay } from '../../api/session.ts'
import { CopyCurl } from '../../parts/copy-curl.tsx'
import { hrefOf, onLink } from '../../router.tsx'
import { methods, type Verification } from '../../trial.ts'
import type { TransactionDetail } from './api.ts'

/** The address up to the operation, which both add. */
const base = /^(?:\/[^/]*){2}\/([^/]*)(?=\/)/

export function TryAgain({ found: { method, url, operator, operation } }: { readonly found: TransactionDetail }) {
  const mayTry = useMay('administrator')
  const { data, isLoading } = useItem('operations', '', operation ?? '')
  const [start, node] = base.exec(url) ?? []
  const known = methods.find((each) => each === method)
  if (start === undefined || known === undefined) return null
  const path = url.slice(start.length)
  const query = new URLSearchParams({
    ...(operation !== null && { operation }),
    method,
    path,
    ...(operator !== null && { operator }),
  })
  const to = `/try?${query}`
  return (
    <>
      {mayTry && (
        <Button
          component="a"
          href={hrefOf(to)}
          onClick={onLink(to)}
          variant="default"
          title="Without its headers and body"
        >
          Again in Try it
        </Button>
      )}
      {!isLoading && (
        <CopyCurl
          node={node}
          trial={{ method: known, path, operator }}
          verification={data?.value.verification as Verification | undefined}
        />
      )}
    </>
  )
}
