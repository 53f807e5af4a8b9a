/** Session tokens, as handlers make them (specification 27.10). */
import type { ProcessContext } from './process-context.ts'

/** Part of the context of a handler. */
export interface SessionTokenContext extends ProcessContext {
  /**
   * Makes a session token of the operator that the handler runs as (specification 27.10), which operations with the
   * verification `Token` accept. `SessionTokenHandler` is a whole handler that does so.
   * @throws Error in an operation with the verification `Token`, and in `onError`
   * @throws Refusal `overloaded` during a store outage, if no key can sign
   * @example
   * ```ts
   * import type { Handler, HandlerContext, RequestMessage } from 'integration-gateway'
   *
   * export default class SignIn implements Handler {
   *   async onRequest(request: RequestMessage, context: HandlerContext) {
   *     const { token, cookie } = await context.createSessionToken()
   *     const response = context.broker.createMessage(request.operationName, 'response')
   *     response.setHeader('set-cookie', cookie)
   *     response.setJson({ token })
   *     return response
   *   }
   * }
   * ```
   */
  createSessionToken(): Promise<SessionToken>
}

/** A session token of an operator, which `createSessionToken` of the context makes. */
export interface SessionToken {
  /** The value of the header `PS_TOKEN`. */
  readonly token: string
  /** The value of `Set-Cookie` for the cookie `PS_TOKEN`; `Secure` if the call came over TLS. */
  readonly cookie: string
  /** When it expires, in epoch milliseconds. */
  readonly expires: number
}
