/** Whether something is to be reported that may come in any number: once of an object, or once a minute. */
export type Once = (object: object, what: string) => boolean

/** The object is not kept alive by that. */
export function openOnce(): Once {
  const seen = new WeakMap<object, Set<string>>()
  return (object, what) => {
    const known = seen.get(object) ?? new Set()
    const isFirst = !known.has(what)
    seen.set(object, known.add(what))
    return isFirst
  }
}

const minute = 60_000

export interface OnceAMinute {
  isDue(what?: string): boolean
  /** It is due again when it comes next. */
  forget(): void
}

/** @param now milliseconds */
export function openOnceAMinute(now: () => number): OnceAMinute {
  const reported = new Map<string, number>()
  return {
    isDue(what = '') {
      const time = now()
      if (time - (reported.get(what) ?? Number.NEGATIVE_INFINITY) < minute) return false
      reported.set(what, time)
      return true
    },
    forget: () => reported.clear(),
  }
}
