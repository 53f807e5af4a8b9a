/** Receives a request body into the spool, within its limits of size and time (specification 4.10, 5.10, 7.6). */
import type { SpooledBody } from '../model/call.ts'
import type { OpenAccount } from '../model/memory-budget.ts'
import { Refusal } from '../model/refusal.ts'
import type { Limits } from '../settings.ts'
import type { BodySource } from './body-framing.ts'
import { openSpool } from './spool.ts'
import { inSlice } from './turn.ts'

export interface BodyReader {
  readonly body: SpooledBody | Promise<SpooledBody>
  /** Ends the reading; without effect once all has arrived. */
  fail(refusal: Refusal): void
  /** Removes what was spooled; undefined where there is nothing to wait for. */
  close(): Promise<void> | undefined
}

type BodyLimits = Pick<Limits, 'maxBodyBytes' | 'spoolMemoryBytes' | 'bodyTimeout'>

/** Bytes a second, over each stretch of `bodyTimeout`: a body that trickles in slower is a body that does not come. */
export const slowestRate = 1024
/** Megabytes of chunks of one byte each take seconds to read: after so many pieces, others have their turn. */
const piecesBetweenRests = 256

/**
 * @param length undefined where only the end of the body tells
 * @param begin asks the client for the body, where it waits to be asked
 * @param take gets each piece as it arrives
 */
export function readBody(
  length: number | undefined,
  source: BodySource,
  begin: () => void,
  limits: BodyLimits,
  openAccount?: OpenAccount,
  take?: (piece: Uint8Array) => void,
): BodyReader {
  if (length !== undefined && length > limits.maxBodyBytes)
    return { body: Promise.reject(tooLarge(limits)), fail() {}, close: () => undefined }
  begin()
  return receive(source, limits, openAccount, take)
}

function receive(
  source: BodySource,
  limits: BodyLimits,
  openAccount: OpenAccount | undefined,
  take: ((piece: Uint8Array) => void) | undefined,
): BodyReader {
  const { promise, resolve, reject } = Promise.withResolvers<SpooledBody>()
  const spool = openSpool({ memoryBytes: limits.spoolMemoryBytes, openAccount })
  let writing: Promise<void> | undefined
  let watch: NodeJS.Timeout | undefined
  let pieces = 0
  let isSettled = false

  function settle() {
    isSettled = true
    clearInterval(watch)
  }
  function fail(error: unknown) {
    if (isSettled) return
    settle()
    reject(error)
  }
  const goOn = () => {
    if (!isSettled) source.goOn()
  }
  source.readTo({
    write(bytes) {
      if (isSettled) return true // the rest is thrown away as it comes
      if (spool.size + bytes.length > limits.maxBodyBytes) {
        fail(tooLarge(limits))
        return true
      }
      take?.(bytes)
      writing = spool.write(bytes)
      pieces += 1
      if (writing) writing.then(goOn, fail)
      else if (pieces % piecesBetweenRests === 0) setImmediate(goOn)
      else return true
      return false
    },
    end() {
      if (isSettled) return
      settle()
      resolve(spool.body)
    },
    fail,
  })
  if (!isSettled) {
    let before = 0
    watch = setInterval(() => {
      const isTooSlow = spool.size - before < (slowestRate * limits.bodyTimeout) / 1000
      before = spool.size
      if (isTooSlow) inSlice(() => fail(new Refusal('bodyMalformed', 'body not received in time', { detail: tooSlow })))
    }, limits.bodyTimeout)
  }
  const closeLate = async () => {
    await writing?.catch(() => {}) // it has the file until then
    await spool.body.close()
  }
  return {
    body: promise,
    fail,
    close() {
      if (!isSettled) fail(new Refusal('bodyMalformed', 'the body was no longer needed')) // an error costs its stack
      return writing ? closeLate() : spool.body.close()
    },
  }
}

export const tooSlow = 'The request body did not arrive in time.'

export function tooLarge({ maxBodyBytes }: Pick<BodyLimits, 'maxBodyBytes'>): Refusal {
  const detail = `The request body is larger than ${maxBodyBytes} bytes.`
  return new Refusal('bodyTooLarge', 'body over the limit', { detail })
}
