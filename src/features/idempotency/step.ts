/** Reads the Idempotency-Key of a call, and answers a call that has one (specification 26.1, 26.2). */
import type { Call, OperationResponse } from '../../model/call.ts'
import type { SpooledRequest } from '../../model/content/request-message.ts'
import type { Operation } from '../../model/operation.ts'
import type { Operator } from '../../model/operator.ts'
import { Refusal, refusedBy } from '../../model/refusal.ts'
import { verificationOf } from '../../model/verification.ts'
import type { RunHandler } from '../../steps/handler/run.ts'
import type { IdempotentCalls } from './idempotency.ts'
import { type IdempotencyKey, makeKey } from './idempotency-key.ts'

export type { IdempotentCalls } from './idempotency.ts'

/** Undefined if its answer is not kept: without a key, without credentials, and where the operation has none. */
export function readIdempotencyKey(
  { headers }: Pick<Call, 'headers'>,
  operation: Operation,
  operator: Operator,
): IdempotencyKey | undefined {
  const { idempotency, verification } = operation
  if (idempotency === undefined) return undefined
  if (!headers.authorization && verificationOf(verification).allowsAnonymous) return undefined
  const text = headers['idempotency-key']
  if (text !== undefined) return makeKey(parseKey(String(text)), operation, operator)
  if (idempotency === 'accepted') return undefined
  throw new Refusal('idempotencyKeyMissing', `${operation.id} requires an Idempotency-Key.`)
}

/** `"abc"` and `abc` are the same key. */
function parseKey(text: string): string {
  const [, quoted, plain] = /^(?:"([\x21\x23-\x7e]{1,255})"|([\x21\x23-\x7e]{1,255}))$/.exec(text) ?? []
  const key = quoted ?? plain
  if (key !== undefined) return key
  throw new Refusal('idempotencyKeyInvalid', `The Idempotency-Key has ${text.length} characters, or invalid ones.`)
}

/** Returns the stored response of the same request, or runs the handler and stores its response. */
export async function runIdempotently(
  key: IdempotencyKey,
  request: SpooledRequest,
  { idempotency }: { readonly idempotency: IdempotentCalls },
  run: RunHandler,
): Promise<OperationResponse> {
  let hasBegun = false
  const begin: RunHandler = (storeInTransaction) => {
    hasBegun = true
    return run(storeInTransaction)
  }
  try {
    return await idempotency.answer(key, request, begin)
  } catch (error) {
    throw error instanceof Refusal && !hasBegun ? refusedBy('idempotency', error) : error
  }
}
