/** One run of a handler: a call has several if its transaction conflicts with others (specification 5.74). */

import type { Catalog } from '../../configuration/catalog.ts'
import type { OperationResponse, ReplyBody } from '../../model/call.ts'
import type { SpooledRequest } from '../../model/content/request-message.ts'
import type { Operation } from '../../model/operation.ts'
import type { Operator } from '../../model/operator.ts'
import type { Transaction } from '../../model/transaction.ts'
import type { FinalStatement } from '../../store/handler-transaction.ts'
import type { CallContext, HandlerDependencies } from './context.ts'

export interface HandlerRun {
  readonly request: SpooledRequest
  readonly operation: Operation
  readonly operator: Operator
  readonly transaction: Transaction
  readonly catalog: Catalog
  readonly gateway: HandlerDependencies
  readonly storeInTransaction: MakeStoreStatement | undefined
  readonly context: CallContext
  /** The request ends with the stream. */
  isStreaming: boolean
}

/**
 * Makes the last statement of the transaction, which stores the response (specification 26.4).
 * @param headers flat: name, value… @param body undefined for a stream
 */
export type MakeStoreStatement = (
  status: number,
  headers: readonly string[],
  body: ReplyBody | undefined,
) => FinalStatement

/** What the steps before it do with the handler. @param storeInTransaction of a call with an Idempotency-Key */
export type RunHandler = (storeInTransaction?: MakeStoreStatement) => Promise<OperationResponse>

export async function close(run: HandlerRun): Promise<void> {
  if (run.isStreaming) return
  void run.context.closeSnapshot()
  await run.request.close().catch((error) => complain(run, 'The spooled body could not be removed', error))
}

export function isWithin(status: number, from: number, to: number): boolean {
  return Number.isInteger(status) && status >= from && status <= to
}

/** The response stands, even if the cleanup of a temporary file or the cache fails. */
export function complain({ transaction, gateway }: HandlerRun, message: string, error: unknown): void {
  gateway.observe({ kind: 'note', level: 'error', transaction, message, error })
}
