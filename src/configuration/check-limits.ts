/** The rules of a limit that involve several of its fields, or names of other items (specification 25.1). */
import type { Problem } from '../model/problem.ts'
import { type KnownNames, requireKnown } from './known-names.ts'
import type { UncheckedDefinition } from './unchecked-definition.ts'

type UncheckedLimit = NonNullable<NonNullable<UncheckedDefinition['limits']>[number]>
type Field = keyof UncheckedLimit

interface Rule {
  readonly field?: Field
  readonly message: string
  readonly isBroken: (limit: UncheckedLimit) => boolean
}

const has = (limit: UncheckedLimit, field: Field) => limit[field] !== undefined
const isByCaller = ({ by }: UncheckedLimit) => by?.some((part) => part !== 'operation' && part !== null) === true

const rules: readonly Rule[] = [
  {
    message: "needs calls or concurrency: calls: 100 with per: '1min', or concurrency: 10",
    isBroken: (limit) => !has(limit, 'calls') && !has(limit, 'concurrency'),
  },
  {
    field: 'per',
    message: "is missing: the time in which the calls are allowed, such as '1min'",
    isBroken: (limit) => has(limit, 'calls') && !has(limit, 'per'),
  },
  ...(['per', 'burst'] as const).map((field) => ({
    field,
    message: 'has no effect without calls: set calls too, or leave it out',
    isBroken: (limit: UncheckedLimit) => has(limit, field) && !has(limit, 'calls'),
  })),
  {
    field: 'queue',
    message: 'has no effect without concurrency: set concurrency too, or leave it out',
    isBroken: (limit) => has(limit, 'queue') && !has(limit, 'concurrency'),
  },
  {
    field: 'queue',
    message: 'cannot be combined with operator, address or network in by: calls beyond those are refused, not queued',
    isBroken: (limit) => has(limit, 'queue') && isByCaller(limit),
  },
  {
    field: 'by',
    message: 'names address and network: an address belongs to one network, so leave network out',
    isBroken: ({ by }) => by?.includes('address') === true && by.includes('network'),
  },
]

export function* checkLimits({ limits }: UncheckedDefinition, { services, operations }: KnownNames): Iterable<Problem> {
  for (const [index, limit] of (limits ?? []).entries()) {
    if (!limit) continue
    const path = `limits[${index}]`
    for (const { field, message, isBroken } of rules)
      if (isBroken(limit)) yield { path: field === undefined ? path : `${path}.${field}`, message }
    for (const [position, name] of (limit.services ?? []).entries())
      yield* requireKnown(`${path}.services[${position}]`, name, services, 'service')
    for (const [position, id] of (limit.operations ?? []).entries())
      yield* requireKnown(`${path}.operations[${position}]`, id, operations, 'operation')
  }
}
