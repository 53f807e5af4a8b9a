/**
 * The result of a failed handler: an error for `onError`, and the failed line for development (specification 5.5,
 * 4.12).
 */
import { inspect } from 'node:util'
import { boundError, isError } from '../../base/bound-error.ts'
import { findForeignLine } from '../../base/foreign-line.ts'
import { hideKnownSecrets } from '../../model/known-secrets.ts'
import type { Operation } from '../../model/operation.ts'
import { Refusal, type RefusalCode } from '../../model/refusal.ts'

/** The handler exceeded its time. */
export class HandlerTimeout extends Error {
  override readonly name = 'HandlerTimeout'
}

/** The client disconnected while the handler was running. */
export class ClientLeft extends Error {
  override readonly name = 'ClientLeft'
}

/** Whether a run was aborted, which says nothing about other runs. */
export function isCutOff(error: unknown): boolean {
  return error instanceof Refusal && (error.cause instanceof ClientLeft || error.code === 'overloaded')
}

/** The refusal of a call whose handler failed. */
export function failed(operation: Operation, thrown: Error, what = 'the handler failed'): Refusal {
  const code = findCode(operation, thrown)
  const error = boundError(thrown)
  const development = describeFailure(operation.handler.name, error)
  const options = { development, isByCaller: error instanceof ClientLeft, cause: error }
  return new Refusal(code, `${operation.id}: ${what}: ${error.name}: ${error.message}`, options)
}

export function failedByStatus(operation: Operation, status: number): Refusal {
  return failed(operation, new Error(`httpResponseCode is 200–299 or 400–499, not ${String(status)}`))
}

function findCode({ forwards }: Operation, error: Error): RefusalCode {
  const isLate = error instanceof HandlerTimeout
  if (forwards && !(error instanceof ClientLeft)) return isLate ? 'upstreamTimedOut' : 'upstreamFailed'
  return isLate ? 'handlerTimedOut' : 'handlerFailed'
}

/** JavaScript can throw any value. */
export function asError(thrown: unknown): Error {
  return isError(thrown) ? thrown : new Error(describeValue(thrown), { cause: thrown })
}

function describeValue(thrown: unknown): string {
  try {
    return inspect(thrown, { depth: 2 })
  } catch {
    return '(what was thrown cannot be read)'
  }
}

/** Class, error and line; for a gateway in development only. */
export function describeFailure(handlerName: string, error: Error): string {
  const line = findForeignLine(error.stack ?? '')
  return hideKnownSecrets(`${handlerName}: ${error.name}: ${error.message}${line ? ` (${line})` : ''}`)
}
