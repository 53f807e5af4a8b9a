/** The steps of a call, as Try it, `ig explain` and the monitor name them (specification 15.3). */
export const steps = [
  'address',
  'target',
  'operation',
  'authentication',
  'limits',
  'permission',
  'uri',
  'cache',
  'idempotency',
  'handler',
] as const
export type Step = (typeof steps)[number]

export const outcomes = ['passed', 'refused', 'would pass', 'would refuse', 'not reached', 'not run', 'failed'] as const
/** `would pass`, `would refuse`: an earlier step has refused the call already. */
export type Outcome = (typeof outcomes)[number]
