/** A call with an Idempotency-Key (specification 26.1 to 26.3): the id of its row, and the hash of its request. */
import { createHash, type Hash, hash, randomUUID } from 'node:crypto'
import type { Call, ReplyBody, SpooledBody } from '../../model/call.ts'
import type { Operation } from '../../model/operation.ts'
import type { Operator } from '../../model/operator.ts'
import type { FinalStatement } from '../../store/handler-transaction.ts'
import type { Claim } from '../../store/idempotency/contract.ts'
import type { ResponseKeeper } from '../handler/response-keeper.ts'
import { type StoredResponse, toStored } from './stored-response.ts'

export class KeyedCall implements ResponseKeeper {
  readonly operation: Operation
  readonly operatorId: string
  /** Digest of operator, operation and key. */
  readonly row: string
  readonly claim: Claim
  final: FinalStatement | undefined
  /** Bytes that it has taken of the room for stored responses. */
  taken = 0
  stored: (StoredResponse & { readonly status: number }) | undefined
  readonly #key: string
  /** Of a body that arrives in pieces. */
  #pieces: Hash | undefined

  constructor(key: string, operation: Operation, operator: Operator) {
    this.operation = operation
    this.operatorId = operator.id
    this.row = digestOf([operator.id, operation.id, key])
    this.claim = { key: this.row, owner: nextOwner() }
    this.#key = key
  }

  keep(status: number, headers: readonly string[], body: ReplyBody | undefined): void {
    this.stored = { status, ...toStored(headers, body) }
  }

  discard(): void {
    this.stored = undefined
  }

  /** Each piece of the body, as it arrives. */
  readonly take = (piece: Uint8Array): void => {
    this.#pieces ??= createHash('sha256')
    this.#pieces.update(piece)
  }

  /** Of all that makes two requests the same; with the key, so that no one can guess a short body from it. */
  digest({ method, headers }: Call, url: string, body: SpooledBody): string | Promise<string> {
    const digest = (content: string) => digestOf([this.#key, method, url, headers['content-type'] ?? null, content])
    if (this.#pieces) return digest(this.#pieces.digest('base64url'))
    const bytes = body.bytes()
    return bytes instanceof Promise ? bytes.then((late) => digest(contentOf(late))) : digest(contentOf(bytes))
  }
}

const contentOf = (bytes: Buffer) => hash('sha256', bytes, 'base64url')

function digestOf(parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url')
}

const ownProcess = randomUUID()
let calls = 0

export function nextOwner(): string {
  calls += 1
  return `${ownProcess}.${calls}`
}
