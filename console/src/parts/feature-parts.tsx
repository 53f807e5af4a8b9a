/** What features show on a page besides its own. */
import { Suspense } from 'react'
import type { LazyPart } from '../page.ts'

export function FeatureParts<Props extends object>({
  parts,
  props,
}: {
  readonly parts: readonly LazyPart<Props>[]
  readonly props: Props
}) {
  return (
    <Suspense fallback={null}>
      {parts.map((Part, at) => (
        <Part key={at} {...props} />
      ))}
    </Suspense>
  )
}
