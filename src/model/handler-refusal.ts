/**
 * `Refusal` as handlers have it: its reason is the handler's words, which may have values of the call (specification 8.11).
 * The gateway's own refusals are instances of it too, so that handlers can let them pass.
 */
import { Refusal } from './refusal.ts'

export class HandlerRefusal extends Refusal {
  override readonly isOfHandler = true
}

Object.defineProperty(HandlerRefusal, Symbol.hasInstance, { value: isInstance })

/** A class that a handler derives has instances of its own. */
function isInstance(this: unknown, value: unknown): boolean {
  return Function.prototype[Symbol.hasInstance].call(this === HandlerRefusal ? Refusal : this, value)
}
