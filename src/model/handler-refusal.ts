/**
 * `Refusal` for handlers: the handler writes its reason, which may contain values of the call (specification 8.11). The
 * gateway's own refusals are instances of it too, so that handlers can let them pass.
 */
import { Refusal } from './refusal.ts'

export class HandlerRefusal extends Refusal {
  override readonly isOfHandler = true
}

Object.defineProperty(HandlerRefusal, Symbol.hasInstance, { value: isInstance })

/** A subclass of a handler has only its own instances. */
function isInstance(this: unknown, value: unknown): boolean {
  return Function.prototype[Symbol.hasInstance].call(this === HandlerRefusal ? Refusal : this, value)
}
