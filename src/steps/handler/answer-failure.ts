/** The response of `onError` after the rollback of a failed handler (specification 5.5, 5.6). */
import { boundError } from '../../base/bound-error.ts'
import { bodyOf, type OperationResponse } from '../../model/call.ts'
import { requireHeaderValue } from '../../model/content/response-headers.ts'
import type { Handler } from '../../model/handler.ts'
import { CallContext } from './context.ts'
import { asError, ClientLeft, failed } from './failure.ts'
import { type HandlerRun, isWithin } from './run.ts'
import { handlerTimeLimit, withinTime } from './within-time.ts'

/** @throws Refusal without a response of `onError` */
export async function answerFailure(
  run: HandlerRun,
  handler: Handler | undefined,
  error: Error,
): Promise<OperationResponse> {
  const { request, operation, operator, transaction, catalog, gateway } = run
  const failure = failed(operation, error)
  if (!handler?.onError || error instanceof ClientLeft) throw failure
  request.exception = error
  try {
    const context = new CallContext(operation, operator, transaction, catalog, gateway)
    const limit = handlerTimeLimit(operation, gateway.settings.limits)
    const content = await withinTime(request, context, limit, handler.onError(request, context))
    if (typeof content !== 'string' || content === '') throw failure
    const status = handler.onErrorHttpResponseCode ?? operation.fault.httpCode
    if (!isWithin(status, 200, 299) && !isWithin(status, 400, 599)) {
      throw new RangeError(`onErrorHttpResponseCode is 200–299 or 400–599, not ${String(status)}`)
    }
    const contentType = requireHeaderValue('content-type', handler.onErrorContentType ?? operation.fault.contentType)
    gateway.observe({
      kind: 'note',
      level: 'error',
      transaction,
      message: `${failure.message}; onError answered`,
      error,
    })
    return { status, headers: ['content-type', contentType], body: bodyOf(content), hasFailed: true }
  } catch (second) {
    if (second !== failure) {
      const error = boundError(asError(second))
      const message = `onError of ${operation.id} failed as well: ${error.message}`
      gateway.observe({ kind: 'note', level: 'error', transaction, message, error })
    }
    throw failure
  }
}
