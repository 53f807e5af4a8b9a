/** Stores the response of a handler in its own transaction (specification 26.4). */
import type { ReplyBody } from '../../model/call.ts'
import type { FinalStatement } from '../../store/handler-transaction.ts'

export interface ResponseKeeper {
  /** The last statement of the transaction, after `keep`. */
  readonly final: FinalStatement | undefined
  /** Before the commit. @param headers flat: name, value… @param body undefined for a stream */
  keep(status: number, headers: readonly string[], body: ReplyBody | undefined): void
  /** What it keeps is rolled back. */
  discard(): void
}
