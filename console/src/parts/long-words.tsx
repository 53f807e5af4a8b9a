/** Words so long that they would make a table wider than the page may be broken anywhere; others stay whole (specification 19.13). */
import type { ReactNode } from 'react'

/** A name of the configuration has 30 characters at most. */
const long = /(\S{31,})/

export function breakLongWords(text: string): ReactNode {
  return text.split(long).map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      <span key={at} className="long-word">
        {part}
      </span>
    ),
  )
}
