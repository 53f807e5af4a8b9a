/** Errors that mean a lost server or connection, not an error of the statement (specification 5.14). */
import pg from 'pg'
import { StoreOutage } from '../faults.ts'

/** @returns undefined for another error */
export function asOutage(error: unknown): StoreOutage | undefined {
  if (error instanceof StoreOutage) return error
  const isOutage =
    error instanceof pg.DatabaseError ? serverCodes.test(error.code ?? '') : isLoss(error) || isSilence(error)
  if (!isOutage) return undefined
  const { message, code } = error as NodeJS.ErrnoException
  return new StoreOutage(`The database is not available: ${message || codesOf(error).join(', ') || code}`, {
    cause: error,
  })
}

/** Whether the server or the network reported it, so is not silent; a timeout of the gateway itself proves nothing. */
export function endsSilence(error: unknown): boolean {
  return error instanceof pg.DatabaseError || (isLoss(error) && (error as Error).message !== endedHere)
}

/** The error of a commit: one that was not sent has no effect, one that was sent may have. */
export function asUnsure(error: unknown): unknown {
  const isSent = error instanceof StoreOutage && !/not queryable/.test(error.message)
  return isSent ? new StoreOutage(error.message, { cause: error, isUnsure: true }) : error
}

/** Connection exceptions; the server is stopping, has crashed, is starting, or has ended an idle session. */
const serverCodes = /^08|^57P0[1235]$/

function isLoss(error: unknown): boolean {
  return (
    codesOf(error).some((code) => losses.has(code)) ||
    isSocketGone(error) ||
    /^Connection terminated(?: unexpectedly)?$|is not queryable$/.test(messageOf(error))
  )
}

/** A server that stops removes its Unix socket. */
function isSocketGone(error: unknown): boolean {
  const { code, syscall } = error as NodeJS.ErrnoException
  return code === 'ENOENT' && syscall === 'connect'
}

/** A timeout without any answer. */
export function isSilence(error: unknown): boolean {
  return codesOf(error).some((code) => silences.has(code)) || silentMessages.test(messageOf(error))
}

/** For a host with several addresses, the error is an AggregateError. */
function codesOf(error: unknown): readonly unknown[] {
  return error instanceof AggregateError
    ? error.errors.map(({ code }) => code)
    : [(error as NodeJS.ErrnoException).code]
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : ''
}

const losses: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'ERR_STREAM_DESTROYED',
])
const silences: ReadonlySet<unknown> = new Set(['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN'])
const silentMessages = /^(?:Query read timeout|timeout expired|Connection terminated due to connection timeout)$/
const endedHere = 'Connection terminated'
