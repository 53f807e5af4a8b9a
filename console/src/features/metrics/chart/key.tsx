/** The sample of a series in legend and tip. */
import type { Look } from './series.ts'

const dashes = { 1: undefined, 2: '6 3', 3: '2 3', yesterday: '3 2' } as const

export const lineOf = (look: keyof typeof dashes) => ({
  fill: 'none',
  stroke: look === 'yesterday' ? 'var(--mantine-color-dimmed)' : `var(--series-${look})`,
  strokeWidth: look === 'yesterday' ? 1.25 : 1.75,
  strokeLinejoin: 'round' as const,
  strokeLinecap: look === 1 ? ('round' as const) : ('butt' as const),
  strokeDasharray: dashes[look],
})

export const fillOf = (look: Look | 'band') => `var(--chart-${look})`

export function Key({ look }: { readonly look: Look | undefined }) {
  if (look === undefined) return null
  return (
    <svg width="18" height="10" aria-hidden="true" style={{ flexShrink: 0 }}>
      {look in dashes ? (
        <path d="M1 5H17" {...lineOf(look as keyof typeof dashes)} strokeWidth={2.25} />
      ) : (
        <>
          <rect x="3" width="12" height="10" rx="2" fill={fillOf(look)} />
          {hasPattern(look) && <rect x="3" width="12" height="10" rx="2" fill={`url(#pattern-${look})`} />}
        </>
      )}
    </svg>
  )
}

export const hasPattern = (look: Look) => look === 'failed' || look === 'refused'

/** Lines over failed and refused calls: the colour is not the only difference. Once in a page. */
export function Patterns() {
  return (
    <svg width="0" height="0" aria-hidden="true" style={{ position: 'absolute' }}>
      <defs>
        {(['failed', 'refused'] as const).map((look, at) => (
          <pattern
            key={look}
            id={`pattern-${look}`}
            width="5"
            height="5"
            patternUnits="userSpaceOnUse"
            patternTransform={`rotate(${at === 0 ? 45 : -45})`}
          >
            <rect width="1.25" height="5" fill="var(--mantine-color-body)" opacity="0.55" />
          </pattern>
        ))}
      </defs>
    </svg>
  )
}
