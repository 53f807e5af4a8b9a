/**
 * An ordeal: a promise of the gateway under failures, tried many times at random moments that a seed repeats. The tests run
 * a few trials of each; `npm run ordeal` runs all of them, and continues where it was interrupted.
 */

/** What a trial counted: sums over all trials; for names that begin with `most`, the highest value. */
export type Tally = Readonly<Record<string, number>>

export interface Ordeal {
  readonly name: string
  /** What it does, in one line. */
  readonly title: string
  /** What must hold, as the table shows it. */
  readonly figure: string
  /** How many trials the figure asks for. */
  readonly trials: number
  /** Undefined where it can run on this machine; else what is missing. */
  readonly needs?: () => string | undefined
  open(options: OrdealOptions): Promise<OpenOrdeal>
  /** What does not hold, one line each; empty where the figure is met. */
  judge(tally: Tally, trials: number): readonly string[]
}

export interface OrdealOptions {
  readonly seed: number
  /** Aborted by Ctrl-C, and when the time is over. */
  readonly signal: AbortSignal
  /** A line about the work in progress. */
  readonly say: (line: string) => void
}

export interface OpenOrdeal {
  /** @param random of this trial: the same for the same seed and index */
  trial(index: number, random: Random): Promise<Tally>
  close(): Promise<void>
}

/** From 0 to 1, 1 excluded. */
export type Random = () => number

export interface RunOptions extends Partial<OrdealOptions> {
  readonly trials: number
  /** Trials done earlier, and what they counted. */
  readonly from?: Progress
  readonly onProgress?: (progress: Progress) => void
}

export interface Progress {
  readonly done: number
  readonly tally: Tally
}

/** Runs trials until the last one, or until the signal aborts; a trial that throws ends the run. */
export async function runOrdeal(ordeal: Ordeal, options: RunOptions): Promise<Progress> {
  const { trials, seed = 1, signal = new AbortController().signal, say = () => {}, onProgress } = options
  let progress = options.from ?? { done: 0, tally: {} }
  if (progress.done >= trials) return progress
  const opened = await ordeal.open({ seed, signal, say })
  try {
    while (progress.done < trials && !signal.aborted) {
      const counted = await opened.trial(progress.done, openRandom(seed * 1_000_003 + progress.done))
      progress = { done: progress.done + 1, tally: addTallies(progress.tally, counted) }
      onProgress?.(progress)
    }
  } finally {
    await opened.close()
  }
  return progress
}

export function addTallies(one: Tally, other: Tally): Tally {
  const sum: Record<string, number> = { ...one }
  for (const [name, value] of Object.entries(other)) {
    const before = sum[name]
    sum[name] = before === undefined ? value : name.startsWith('max') ? Math.max(before, value) : before + value
  }
  return sum
}

/** mulberry32: small, and good enough to choose moments. */
export function openRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
