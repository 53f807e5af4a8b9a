/** What checks the credentials of a mode (specification 3.5 to 3.10): each mode has one, in a file of its name. */
import type { Call } from '../model/call.ts'
import type { Catalog } from '../model/catalog.ts'
import type { Operation } from '../model/operation.ts'
import type { Operator } from '../model/operator.ts'
import type { Refusal } from '../model/refusal.ts'

export type Caller = Pick<Call, 'headers' | 'readCertificate' | 'remoteAddress' | 'signal'>
export type Called = Pick<Operation, 'alias' | 'version'>
export type Operators = ReadonlyMap<string, Operator>

export interface Verifier {
  /** @throws Refusal that of the mode */
  verify(call: Caller, operation: Called, catalog: Catalog, operators: Operators): Promise<Operator>
  /** @param reason for the log */
  rejected(reason: string, operation: Called): Refusal
  /** Why it rejects every caller at present. */
  trouble?(catalog: Catalog): string | undefined
  /** Sends delayed refusals now. */
  release?(): void
}
