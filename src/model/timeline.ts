/** When the steps of a call ended, and what its handler waited for (specification 20.13, 21.17). */
import type { Step } from './step.ts'

/** A statement, or a call of another service. */
export interface Wait {
  readonly kind: 'database' | 'service'
  /** `SELECT employee`, `GET https://rates.example`: without values. */
  readonly summary: string
  /** Epoch milliseconds with a fraction. */
  readonly from: number
  readonly until: number
  /** SQLSTATE, or the name of the error. */
  readonly failure: string | undefined
}

/** The others take no time that is worth reading the clock: they end with the step before. */
const mayWait: ReadonlySet<Step> = new Set(['authentication', 'cache', 'message', 'handler'])
/** Further ones of a call are not kept. */
const maxWaits = 100

/** Every call has one: two lists cost less than a list of pairs. */
export class Timeline {
  readonly steps: Step[] = []
  /** When each step ended. */
  readonly ends: number[] = []
  #waits: Wait[] | undefined
  #last: number
  readonly #now: () => number

  constructor(begun: number, now: () => number) {
    this.#last = begun
    this.#now = now
  }

  pass(step: Step): void {
    if (mayWait.has(step)) this.#last = this.#now()
    this.steps.push(step)
    this.ends.push(this.#last)
  }

  get waits(): readonly Wait[] {
    return this.#waits ?? []
  }

  /** @returns to be called at its end */
  begin(kind: Wait['kind'], summary: string): (error: unknown) => void {
    const from = this.#now()
    return (error) => {
      this.#waits ??= []
      if (this.#waits.length >= maxWaits) return
      const failure = error === undefined ? undefined : kindOf(error)
      this.#waits.push({ kind, summary, from, until: this.#now(), failure })
    }
  }
}

function kindOf(error: unknown): string {
  const { code, name = 'Error' } = error as { readonly code?: unknown; readonly name?: string }
  return typeof code === 'string' ? code : name
}
