/** A call with an Idempotency-Key (specification 26.1 to 26.3): which row is its own, and what it asks for. */
import { createHash, hash, randomUUID } from 'node:crypto'
import type { Call, ReplyBody, SpooledBody } from '../../model/call.ts'
import type { Operation } from '../../model/operation.ts'
import type { Operator } from '../../model/operator.ts'
import type { Seal } from '../../store/handler-transaction.ts'
import type { AnswerKeeper } from '../handler/answer-keeper.ts'
import { type KeptAnswer, keepAnswer } from './kept-answer.ts'

export class KeyedCall implements AnswerKeeper {
  readonly operation: Operation
  /** Digest of operator, operation and key. */
  readonly row: string
  /** Of its claim: no one else knows it. */
  readonly owner = nextOwner()
  seal: Seal | undefined
  /** The answer that is kept. */
  kept: (KeptAnswer & { readonly status: number }) | undefined
  readonly #key: string
  readonly #body = createHash('sha256')
  #bytes = 0

  constructor(key: string, operation: Operation, operator: Operator) {
    this.operation = operation
    this.row = digestOf([operator.id, operation.id, key])
    this.#key = key
  }

  keep(status: number, headers: readonly string[], body: ReplyBody | undefined): void {
    this.kept = { status, ...keepAnswer(headers, body) }
  }

  /** Each piece of the body, as it arrives. */
  readonly take = (piece: Uint8Array): void => {
    this.#body.update(piece)
    this.#bytes += piece.length
  }

  /** Of all that makes two requests the same; with the key, so that no one can guess a short body from it. */
  async digest({ method, headers }: Call, url: string, body: SpooledBody): Promise<string> {
    // A body that was complete from the start did not arrive in pieces
    if (this.#bytes === 0 && body.size > 0) for await (const piece of body.pieces()) this.take(piece)
    const content = this.#body.digest('base64url')
    return digestOf([this.#key, method, url, headers['content-type'] ?? null, content])
  }
}

function digestOf(parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url')
}

const ownProcess = randomUUID()
let calls = 0

export function nextOwner(): string {
  calls += 1
  return `${ownProcess}.${calls}`
}
