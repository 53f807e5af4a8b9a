/** A link to the page of a feature; without the feature nothing, or its text alone. */
import type { ComponentProps } from 'react'
import { hasPage } from '../features.ts'
import { Link } from '../router.tsx'

interface Props extends ComponentProps<typeof Link> {
  readonly isTextElse?: boolean
}

export function FeatureLink({ isTextElse = false, ...props }: Props) {
  if (hasPage(props.to)) return <Link {...props} />
  return isTextElse ? props.children : null
}
