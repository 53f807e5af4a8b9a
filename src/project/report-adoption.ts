/** The adoption report: what has moved, who calls it, and who would lose what (specification 40). */

import type { Catalog } from '../configuration/catalog.ts'
import { mapContributions } from '../features.ts'
import { nameOfCall, serviceOf } from '../model/called-operation.ts'
import type { Operation } from '../model/operation.ts'
import { operationIdOf } from '../model/operation-name.ts'
import type { Operator } from '../model/operator.ts'
import { findPermission } from '../model/permission.ts'
import { forwarding } from '../model/substitute.ts'
import type { Usage, UsageRow } from '../model/usage.ts'
import { modeRows } from '../model/verification.ts'

/** What the report calls each state. */
export const stateWords = {
  moved: 'moved',
  ...mapContributions('substitutes', ({ words }: { readonly words: string }) => words),
} as const
export type OperationState = keyof typeof stateWords
export const operationStates = Object.keys(stateWords) as OperationState[]
export type Lack = 'operation' | 'operator' | 'permission'

export interface AdoptedOperation {
  readonly id: string
  readonly state: OperationState
  readonly calls: number
  /** Ids, in alphabetical order. */
  readonly callers: readonly string[]
  /** Epoch milliseconds; undefined without calls. */
  readonly last: number | undefined
  /** Undefined if no answer was compared with the original's. */
  readonly compared: { readonly calls: number; readonly differ: number } | undefined
}

/** Calls whose answers were compared with those of the original, by a shadow or by `ig compare`. */
export interface ComparedOperation {
  /** `JOB_GET.v1` */
  readonly operation: string
  readonly calls: number
  readonly differ: number
  readonly leftOut?: readonly string[] | undefined
}

export interface Loss {
  /** `JOB_GET.v1`, or as in the URL: `GET JOB.v1`. */
  readonly operation: string
  /** Undefined if it is not known. */
  readonly operator: string | undefined
  readonly lacks: Lack
  readonly reason: string
  readonly calls: number
  readonly last: number
}

export interface Adoption {
  /** False without a monitor: no calls are known. */
  readonly isMonitored: boolean
  /** False if older transactions of the time were not read. */
  readonly isComplete: boolean
  readonly operations: readonly AdoptedOperation[]
  /** The most calls first. */
  readonly losses: readonly Loss[]
  /** Headers that pass-through left out, by operation: `request x-custom`. */
  readonly leftOut: readonly { readonly operation: string; readonly headers: readonly string[] }[]
}

type Operators = ReadonlyMap<string, Pick<Operator, 'id' | 'isLocked' | 'permissionLists'>>

export function reportAdoption(
  { operations, anonymousOperatorId }: Pick<Catalog, 'operations' | 'anonymousOperatorId'>,
  operators: Operators,
  usage: Usage | undefined,
  compared: readonly ComparedOperation[] = [],
): Adoption {
  const { rows = [], notFound = [], passedOn = [], isComplete = true } = usage ?? {}
  const passed = passedOn.map((row) => ({ ...row, calls: 1, operation: nameOfCall(row), passedBy: row.operation }))
  const all: readonly (UsageRow & { readonly passedBy?: string })[] = [...rows, ...passed]
  const byOperation = Map.groupBy(all, ({ operation }) => operation)
  const losses = new Map<string, Loss>()
  const lose = (loss: Loss) => {
    const key = JSON.stringify([loss.operation, loss.operator, loss.lacks])
    const { calls = 0, last = 0 } = losses.get(key) ?? {}
    losses.set(key, { ...loss, calls: calls + loss.calls, last: Math.max(last, loss.last) })
  }
  for (const row of all) {
    const operation = operations.get(row.operation) ?? operations.get(row.passedBy ?? '')
    const lack = findLack(row, operation, operators, anonymousOperatorId)
    if (lack) lose({ ...pick(row), ...lack })
  }
  for (const { method, url, time } of notFound)
    lose({ ...missing, operation: `${method} ${serviceOf(url)}`, operator: undefined, calls: 1, last: time })
  const onlyThere = [...new Set(passed.map(({ operation }) => operation))].filter((id) => !operations.has(id))
  return {
    isMonitored: usage !== undefined,
    isComplete,
    operations: [
      ...[...operations.values()].filter(({ ofNode }) => ofNode === undefined),
      ...onlyThere.map((id) => ({ id, substitute: { state: forwarding } })),
    ].map((operation) => ({
      ...describe(operation, byOperation.get(operation.id) ?? []),
      compared: sumUp(compared.filter(({ operation: name }) => name === operation.id || name === calledAs(operation))),
    })),
    leftOut: listLeftOut(compared),
    losses: [...losses.values()].toSorted((one, other) => other.calls - one.calls),
  }
}

function describe(
  operation: { readonly id: string; readonly substitute?: { readonly state: OperationState | undefined } | undefined },
  rows: readonly UsageRow[],
): Omit<AdoptedOperation, 'compared'> {
  return {
    id: operation.id,
    state: operation.substitute?.state ?? 'moved',
    calls: rows.reduce((sum, { calls }) => sum + calls, 0),
    callers: [...new Set(rows.flatMap(({ operator }) => operator ?? []))].toSorted(),
    last: rows.length > 0 ? Math.max(...rows.map(({ last }) => last)) : undefined,
  }
}

/** As `ig compare` names it, which knows only the URL: by the alias. */
function calledAs(operation: Pick<Operation, 'id'> & Partial<Pick<Operation, 'alias' | 'method' | 'version'>>): string {
  const { id, alias, method = '', version = '' } = operation
  return alias === undefined ? id : operationIdOf({ name: alias, method, version })
}

function sumUp(compared: readonly ComparedOperation[]): AdoptedOperation['compared'] {
  const sum = (field: 'calls' | 'differ') => compared.reduce((all, each) => all + each[field], 0)
  const calls = sum('calls')
  return calls === 0 ? undefined : { calls, differ: sum('differ') }
}

function listLeftOut(compared: readonly ComparedOperation[]): Adoption['leftOut'] {
  return [...Map.groupBy(compared, ({ operation }) => operation)]
    .map(([operation, all]) => ({
      operation,
      headers: [...new Set(all.flatMap(({ leftOut = [] }) => leftOut))].sort(),
    }))
    .filter(({ headers }) => headers.length > 0)
}

const missing = { lacks: 'operation', reason: 'the configuration has no such operation' } as const

function findLack(
  { operator: id, refusal }: UsageRow,
  operation: Operation | undefined,
  operators: Operators,
  anonymousOperatorId: string | undefined,
): Pick<Loss, 'lacks' | 'reason'> | undefined {
  if (!operation) return missing
  if (id !== undefined) {
    const operator = operators.get(id)
    if (!operator) return { lacks: 'operator', reason: 'there is no such operator' }
    if (operator.isLocked) return { lacks: 'operator', reason: 'the operator is locked' }
    const { isAllowed, reason } = findPermission(operator, operation)
    return isAllowed ? undefined : { lacks: 'permission', reason }
  }
  if (refusal === 'permissionDenied' && anonymousOperatorId === undefined)
    return { lacks: 'permission', reason: 'calls without credentials have no default user' }
  return refusal !== undefined && unknownCaller.has(refusal)
    ? { lacks: 'operator', reason: `the credentials belong to no operator (${refusal})` }
    : undefined
}

const unknownCaller: ReadonlySet<string> = new Set(modeRows.flatMap(({ refusal = [] }) => refusal))

function pick({ operation, operator, calls, last }: UsageRow) {
  return { operation, operator, calls, last }
}
