/** Marks of a chart: what happened at a time or in a span of it. Those too near to each other share a flag. */

export interface Mark {
  readonly id: string
  readonly kind: 'revision' | 'restart' | 'outage'
  /** Epoch milliseconds. */
  readonly from: number
  /** The end of an outage, or the present while it continues. */
  readonly to?: number
  /** `Revision 3` */
  readonly title: string
  readonly revision?: number
  /** The revision before it, to which it can be rolled back. */
  readonly previous?: number
  /** Whether it is the last activation, which can be taken back. */
  readonly isActive?: boolean
  readonly note?: string
}

export interface Flag {
  /** Pixels from the left. */
  readonly x: number
  readonly marks: readonly Mark[]
}

/** Marks within the width of a flag of its first one are gathered in it. @param x pixels of a time @param width of a flag */
export function gatherMarks(marks: readonly Mark[], x: (time: number) => number, width: number): readonly Flag[] {
  const flags: { x: number; marks: Mark[] }[] = []
  for (const mark of marks.toSorted((one, other) => one.from - other.from)) {
    const place = x(mark.from)
    const last = flags.at(-1)
    if (last && place - last.x < width) last.marks.push(mark)
    else flags.push({ x: place, marks: [mark] })
  }
  return flags
}
