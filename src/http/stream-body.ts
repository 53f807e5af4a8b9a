/** Hands a request body on as it arrives, piece by piece, at the pace of its reader: nothing is spooled (specification 36.6). */
import type { BodyStream } from '../model/call.ts'
import { Refusal } from '../model/refusal.ts'
import type { Limits } from '../settings.ts'
import type { BodySource } from './body-framing.ts'
import { slowestRate, tooLarge, tooSlow } from './read-body.ts'

type StreamLimits = Pick<Limits, 'maxBodyBytes' | 'bodyTimeout'>

export interface StreamReader {
  readonly body: BodyStream
  /** Ends the reading; without effect once all has arrived. */
  fail(refusal: Refusal): void
  close(): undefined
}

/**
 * @param size undefined where only the end of the body tells
 * @param begin asks the client for the body, where it waits to be asked
 */
export function streamBody(
  size: number | undefined,
  source: BodySource,
  begin: () => void,
  limits: StreamLimits,
): StreamReader {
  let piece: Buffer | undefined
  let waiting: { resolve(piece: Buffer | undefined): void; reject(reason: unknown): void } | undefined
  let failure: Refusal | undefined
  let hasBegun = false
  let hasEnded = false
  let bytes = 0
  let watch: NodeJS.Timeout | undefined

  const settle = (refusal?: Refusal) => {
    if (hasEnded) return
    hasEnded = true
    failure = refusal
    clearInterval(watch)
    if (refusal) waiting?.reject(refusal)
    else waiting?.resolve(undefined)
    waiting = undefined
  }
  const open = () => {
    hasBegun = true
    begin()
    source.readTo({
      write(chunk) {
        if (hasEnded || chunk.length === 0) return true // the rest is thrown away as it comes
        bytes += chunk.length
        if (bytes > limits.maxBodyBytes) settle(tooLarge(limits))
        else if (waiting) {
          waiting.resolve(chunk)
          waiting = undefined
        } else piece = chunk
        return hasEnded
      },
      end: () => settle(),
      fail: settle,
    })
    if (!hasEnded) watchClient()
  }
  /** A client counts as slow only for the time in which its reader waits for it. */
  const watchClient = () => {
    let before = 0
    let wasWaiting = true
    watch = setInterval(() => {
      const isSlow = wasWaiting && bytes - before < (slowestRate * limits.bodyTimeout) / 1000
      if (isSlow && waiting) settle(new Refusal('bodyMalformed', 'body not received in time', { detail: tooSlow }))
      before = bytes
      wasWaiting = waiting !== undefined
    }, limits.bodyTimeout)
  }
  const next = (): Promise<Buffer | undefined> => {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer | undefined>()
    waiting = { resolve, reject }
    if (hasBegun) source.goOn()
    else open()
    return promise
  }
  async function* pieces(): AsyncGenerator<Buffer> {
    for (;;) {
      const held = piece
      piece = undefined
      if (held) yield held
      else if (failure) throw failure
      else if (hasEnded) return
      else {
        const arrived = await next()
        if (arrived) yield arrived
      }
    }
  }
  if (size !== undefined && size > limits.maxBodyBytes) throw tooLarge(limits)
  return {
    body: { size, pieces },
    fail: settle,
    close() {
      settle(new Refusal('bodyMalformed', 'the body was no longer needed'))
      return undefined
    },
  }
}
