/** Compiles limits for calls (specification 25). */
import type { Limit, OperationLimits } from '../model/limit.ts'
import type { LimitDefinition } from './configuration.ts'
import { parsePeriod } from './limit-schema.ts'

/** Which limits an operation has; equal ones are shared. */
export function compileLimits(definitions: readonly LimitDefinition[]) {
  const limits = definitions.map((definition) => ({ definition, limit: compileLimit(definition) }))
  const known = new Map<string, OperationLimits>()
  return {
    byName: new Map(limits.map(({ limit }) => [limit.name, limit])) as ReadonlyMap<string, Limit>,
    /** Undefined for an operation without limits. */
    of(id: string, service: string): OperationLimits | undefined {
      const own = limits.filter(({ definition }) => appliesTo(definition, id, service))
      if (own.length === 0) return undefined
      const key = own.map(({ limit }) => limit.name).join(' ')
      const shared = known.get(key) ?? arrange(own.map(({ limit }) => limit))
      known.set(key, shared)
      return shared
    },
  }
}

function compileLimit(definition: LimitDefinition): Limit {
  const { name, by, calls, per, concurrency, operators, exceptOperators } = definition
  const seconds = per === undefined ? undefined : parsePeriod(per)
  const hasRate = calls !== undefined && seconds !== undefined
  const interval = hasRate ? (seconds * 1000) / calls : undefined
  const burst = definition.burst ?? Math.max(1, Math.floor((calls ?? 0) / 10))
  const rateText = hasRate ? [`${calls} calls in ${seconds} s`] : []
  const concurrencyText = concurrency === undefined ? [] : [`${concurrency} at a time`]
  return {
    name,
    by,
    interval,
    tolerance: interval === undefined ? Number.POSITIVE_INFINITY : (burst - 1) * interval,
    text: [...rateText, ...concurrencyText].join(', '),
    policy: hasRate ? `"${name}";q=${calls};w=${seconds}` : undefined,
    concurrency: isOfCaller({ by }) ? concurrency : undefined,
    handlers: isOfCaller({ by }) ? undefined : concurrency,
    queue: definition.queue ?? 0,
    operators: operators.length > 0 ? new Set(operators) : undefined,
    exceptOperators: exceptOperators.length > 0 ? new Set(exceptOperators) : undefined,
  }
}

function appliesTo({ operations, services }: LimitDefinition, id: string, service: string): boolean {
  return operations.length + services.length === 0 || operations.includes(id) || services.includes(service)
}

function arrange(limits: readonly Limit[]): OperationLimits {
  const ofAddress = limits.filter(isOfAddress)
  const ofHandler = limits.filter(({ handlers }) => handlers !== undefined)
  const ofOperator = limits.filter(
    (limit) => !isOfAddress(limit) && (limit.interval !== undefined || limit.concurrency !== undefined),
  )
  return { ofAddress, ofOperator, ofHandler }
}

/** Whether it can be checked before authentication. */
function isOfAddress({ by, operators, exceptOperators }: Limit): boolean {
  return (
    (by.includes('address') || by.includes('network')) && !by.includes('operator') && !operators && !exceptOperators
  )
}

function isOfCaller({ by }: Pick<Limit, 'by'>): boolean {
  return by.some((part) => part !== 'operation')
}
