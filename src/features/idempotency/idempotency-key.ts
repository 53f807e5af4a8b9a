/** The Idempotency-Key of a call (specification 26.1 to 26.3): the id of its row, and the digest of its request. */
import { createHash, hash } from 'node:crypto'
import type { SpooledRequest } from '../../model/content/request-message.ts'
import type { Operation } from '../../model/operation.ts'
import type { Operator } from '../../model/operator.ts'

export interface IdempotencyKey {
  readonly text: string
  readonly operation: Operation
  readonly operatorId: string
  /** Digest of operator, operation and key. */
  readonly row: string
}

export function makeKey(text: string, operation: Operation, operator: Operator): IdempotencyKey {
  return { text, operation, operatorId: operator.id, row: digestOf([operator.id, operation.id, text]) }
}

/** Two requests are the same if their digests are equal. It includes the key, so that no one can guess a short body. */
export async function digestRequest(
  { text }: IdempotencyKey,
  { call: { method, headers }, plainUrl, body }: SpooledRequest,
): Promise<string> {
  const content = createHash('sha256')
  for await (const piece of body.pieces()) content.update(piece)
  return digestOf([text, method, plainUrl, headers['content-type'] ?? null, content.digest('base64url')])
}

function digestOf(parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url')
}
