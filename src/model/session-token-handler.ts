/** The handler of an operation that hands out session tokens (specification 27.10). */

import { formatTimestamp } from '../base/date-time.ts'
import type { RequestMessage } from './content/message.ts'
import type { Handler, HandlerClass, HandlerContext } from './handler.ts'

/**
 * Answers with a session token of the caller, in the body and as the cookie `PS_TOKEN` (specification 27.10). Export it
 * from a file of the project, and name that as the handler of an operation with the verification `Basic` or `OAuth2`;
 * operations with the verification `Token` accept the token.
 * @throws Error in an operation with the verification `Token`: a stolen token could be renewed without end
 * @example
 * ```ts
 * import { defineGateway, SessionTokenHandler } from 'integration-gateway'
 *
 * export default class SignIn extends SessionTokenHandler {} // handlers/sign-in.ts
 *
 * defineGateway({
 *   operations: [
 *     {
 *       service: 'SAMPLES',
 *       name: 'SIGN_IN',
 *       method: 'GET',
 *       verification: 'Basic',
 *       handler: 'handlers/sign-in.ts',
 *     },
 *     {
 *       service: 'SAMPLES',
 *       name: 'MINE',
 *       method: 'GET',
 *       verification: 'Token',
 *       handler: 'handlers/mine.ts',
 *     },
 *   ],
 * })
 * ```
 */
export class SessionTokenHandler implements Handler {
  /** Answers with the token. */
  async onRequest(request: RequestMessage, context: HandlerContext) {
    const { token, cookie, expires } = await context.createSessionToken()
    const { id, description } = context.operator
    const response = context.broker.createMessage(request.operationName, 'response')
    response.setHeader('set-cookie', cookie)
    response.setHeader('cache-control', 'no-store')
    response.setJson({
      code: 0, // success, for a public client of the original
      message: 'success',
      data: {
        psToken: token,
        userid: id,
        description,
        language: 'ENG',
        tokenExpireTime: formatTimestamp(expires).slice(0, 'YYYY-MM-DD HH:MM:SS'.length),
      },
    })
    return response
  }
}

/** Whether the handler of an operation issues session tokens. */
export function handsOutTokens(handler: unknown): boolean {
  return handler === SessionTokenHandler || (handler as HandlerClass).prototype instanceof SessionTokenHandler
}
