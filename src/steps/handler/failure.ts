/**
 * The result of a failed handler: an error for `onError`, and the failed line for development (specification 5.5,
 * 4.12).
 */
import { inspect, types } from 'node:util'
import { findForeignLine } from '../../base/foreign-line.ts'
import { hideKnownSecrets } from '../../model/known-secrets.ts'
import { Refusal } from '../../model/refusal.ts'

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

/** JavaScript can throw any value. */
export function asError(thrown: unknown): Error {
  if (thrown instanceof Error || types.isNativeError(thrown)) return thrown
  return new Error(inspect(thrown, { depth: 2 }), { cause: thrown })
}

/** Class, error and line; for a gateway in development only. */
export function describeFailure(handlerName: string, error: Error): string {
  const line = findForeignLine(error.stack ?? '')
  return hideKnownSecrets(`${handlerName}: ${error.name}: ${error.message}${line ? ` (${line})` : ''}`)
}
