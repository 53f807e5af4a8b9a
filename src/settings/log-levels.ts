/** The levels of the log (specification 8.5). */

/** The observations that each level adds to those before it, as `ig settings` prints them. */
export const logLevels = [
  [-100, 'nothing'],
  [-1, 'errors of the gateway itself, with their stack'],
  [1, 'failed handlers, with their stack; outages of the store or the provider'],
  [2, "every refused call with its reason; handlers' errors and warnings"],
  [3, 'starts, stops, keys fetched; calls of operations that have a log detail'],
  [4, 'every call in one line, with operator, status and duration'],
  [5, 'whole messages, secrets redacted; debugging notes'],
] as const

type LogLevel = (typeof logLevels)[number][0]

const values = logLevels.map(([level]) => level).join(', ')

export const logLevel = {
  values,
  parse(text: string): LogLevel {
    const found = logLevels.find(([level]) => String(level) === text)
    if (found) return found[0]
    throw new Error(`must be one of ${values}`)
  },
}
