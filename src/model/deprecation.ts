/** The deprecation of an operation, compiled (specification 2.32): announce-deprecation.ts writes it. */
import type { OperationDefinition } from './configuration/configuration.ts'
import { parseDate } from './configuration/deprecated-schema.ts'

export interface Deprecation {
  /** Flat: name, value… */
  readonly headers: readonly string[]
  /** Undefined without one. */
  readonly successor: string | Successor | undefined
}

/** An operation of the same configuration. */
export interface Successor {
  /** `HIRE.v2` */
  readonly segment: string
  /** It has all URI templates of the deprecated operation: what follows the segment is the same. */
  readonly keepsPath: boolean
}

type Stated = NonNullable<OperationDefinition['deprecated']>

export function compileDeprecation({ since, sunset }: Stated, successor: Deprecation['successor']): Deprecation {
  const seconds = Math.floor((parseDate(since) ?? 0) / 1000)
  const end = sunset === undefined ? [] : ['sunset', new Date(parseDate(sunset) ?? 0).toUTCString()]
  return { headers: ['deprecation', `@${seconds}`, ...end], successor }
}
