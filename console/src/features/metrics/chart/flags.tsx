/** The flags of marks above a chart: each opens a card that says what happened, and leads on. */
import { Popover, UnstyledButton } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { GitCommitVertical, RotateCw, Unplug } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { Flag, Mark } from './marks.ts'

export const flagSize = 24
/** Pixels of a flag with a number. */
const maxWidth = 44
const icons = { revision: GitCommitVertical, restart: RotateCw, outage: Unplug } as const

interface Props {
  readonly flags: readonly Flag[]
  /** The width of the chart in pixels: a flag at its end stays within. */
  readonly width: number
  writeTime(time: number): string
  /** What the card says of a mark. @param close closes the card */
  show(mark: Mark, close: () => void): ReactNode
}

export function Flags({ flags, width, writeTime, show }: Props) {
  return (
    <div className="chart-flags">
      {flags.map(({ x, marks }) => {
        const id = marks.map((mark) => mark.id).join(' ')
        const left = Math.min(Math.max(0, x - flagSize / 2), width - (marks.length > 1 ? maxWidth : flagSize))
        return <FlagButton key={id} marks={marks} left={left} writeTime={writeTime} show={show} />
      })}
    </div>
  )
}

interface FlagProps extends Pick<Flag, 'marks'>, Pick<Props, 'writeTime' | 'show'> {
  readonly left: number
}

function FlagButton({ marks, left, writeTime, show }: FlagProps) {
  const [isOpen, setIsOpen] = useState(false)
  const close = () => setIsOpen(false)
  useWindowEvent('keydown', ({ key }) => key === 'Escape' && close()) // wherever the focus is
  const worst = marks.find(({ kind }) => kind === 'outage') ?? marks.at(-1)
  if (!worst) return null
  const Icon = icons[worst.kind]
  const names = marks.map(({ title, from }) => `${title}, ${writeTime(from)}`).join('; ')
  const label = marks.length > 1 ? `${marks.length} marks: ${names}` : names
  return (
    <Popover opened={isOpen} onChange={setIsOpen} withArrow shadow="md" trapFocus returnFocus floatingStrategy="fixed">
      <Popover.Target>
        <UnstyledButton
          className={`chart-flag chart-flag-${worst.kind}`}
          style={{ left }}
          aria-label={label}
          onClick={() => setIsOpen(!isOpen)}
        >
          <Icon size={14} aria-hidden />
          {marks.length > 1 && <span>{marks.length}</span>}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown p="sm" maw="min(320px, 90vw)" aria-label={label}>
        {isOpen && marks.toReversed().map((mark) => <div key={mark.id}>{show(mark, close)}</div>)}
      </Popover.Dropdown>
    </Popover>
  )
}
