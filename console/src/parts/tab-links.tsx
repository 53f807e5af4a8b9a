/** Tabs that are links, because each has an address. */
import { hrefOf, onLink } from '../router.tsx'

interface TabLink {
  readonly title: string
  readonly to: string
  readonly isCurrent: boolean
}

export function TabLinks({ label, tabs }: { readonly label: string | undefined; readonly tabs: readonly TabLink[] }) {
  return (
    <nav aria-label={label} className="page-tabs">
      {tabs.map(({ title, to, isCurrent }) => (
        <a
          key={title}
          href={hrefOf(to)}
          onClick={onLink(to)}
          className="page-tab"
          aria-current={isCurrent ? 'page' : undefined}
        >
          {title}
        </a>
      ))}
    </nav>
  )
}
