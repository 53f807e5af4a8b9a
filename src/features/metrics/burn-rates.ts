/** When the alerts of an objective begin, here and in Prometheus (specification 43.12). Times are in minutes. */

/** At these rates the errors allowed in 30 days are used up in two days, or in five. */
export const burnRates = {
  GatewayObjectiveFarMissed: { rate: 14.4, long: 60, short: 5 },
  GatewayObjectiveMissed: { rate: 6, long: 360, short: 30 },
} as const

/** Fewer calls say little about an operation. */
export const leastCalls = 20
