/** What checks the credentials of a mode (specification 3.5 to 3.10): each mode has one, in a file of its name here or of its feature. */

import type { Catalog } from '../configuration/catalog.ts'
import type { Call } from '../model/call.ts'
import { withClaimed } from '../model/claimed-name.ts'
import type { Observe } from '../model/observation.ts'
import type { Operation } from '../model/operation.ts'
import type { Operator } from '../model/operator.ts'
import type { Refusal } from '../model/refusal.ts'
import type { Settings } from '../settings.ts'
import type { Store } from '../store/store.ts'

export type CallCredentials = Pick<Call, 'headers' | 'readCertificate' | 'remoteAddress' | 'signal'>
export type CalledOperation = Pick<Operation, 'segment'>
export type Operators = ReadonlyMap<string, Operator>

export interface Verifier {
  /** Refuses a locked operator too: no later step looks. @throws Refusal that of the mode */
  verify(call: CallCredentials, operation: CalledOperation, catalog: Catalog, operators: Operators): Promise<Operator>
  /** @param reason for the log */
  rejected(reason: string, operation: CalledOperation): Refusal
  /** Why it rejects every caller at present. */
  trouble?(catalog: Catalog): string | undefined
  /** Sends delayed refusals now. */
  endDelays?(): void
  /** Reads again its rows that have changed after this epoch of the operators; -1: all of them. */
  follow?(operatorEpoch: number): Promise<void>
  /** Stores what calls of the catalog's operations need: at the start, and after each reading of the store. */
  prepare?(catalog: Catalog): Promise<void>
  /** Makes a token. @throws Refusal `overloaded` during a store outage, if it cannot */
  issue?(operatorId: string, node: string): Promise<IssuedToken>
  /** The rows that it has read, as JSON, for a start during an outage. */
  readonly state?: unknown
}

/** @throws Refusal that of the mode */
export function requireUnlocked(operator: Operator, rejected: (reason: string) => Refusal): Operator {
  if (operator.isLocked) throw rejected(withClaimed('operator is locked', operator.id))
  return operator
}

export interface IssuedToken {
  readonly token: string
  readonly id: string
  /** Epoch milliseconds. */
  readonly expires: number
}

export interface VerifierOptions {
  readonly settings: Settings
  readonly store: Pick<Store, 'databases' | 'clockOffset'>
  readonly observe: Observe
  /** The last `state` of each verifier, by mode, for a start during an outage. */
  readonly states?: Readonly<Record<string, unknown>> | undefined
  /** Stores nothing, and needs no secret. */
  readonly isTrial?: boolean | undefined
  now(): number
}

export type Issuers = Readonly<Record<string, Pick<Verifier, 'issue'>>>

/** Makes tokens of the mode whose tokens this gateway issues. @throws Error if there is none */
export function requireIssuer(issuers: Issuers): NonNullable<Verifier['issue']> {
  const { issue } = Object.values(issuers).find((verifier) => verifier.issue) ?? {}
  if (issue) return issue
  throw new Error('This gateway issues no tokens')
}
