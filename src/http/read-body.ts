/**
 * Reads a request body within its limits of size and time: into the spool (specification 4.10, 5.10, 7.6), or piece by piece
 * as it arrives, at the pace of its reader (36.6).
 */
import type { BodyStream, SpooledBody } from '../model/call.ts'
import type { OpenAccount } from '../model/memory-budget.ts'
import { Refusal } from '../model/refusal.ts'
import type { Limits } from '../settings.ts'
import type { BodySink, BodySource } from './body-framing.ts'
import { openSpool } from './spool.ts'
import { inSlice } from './turn.ts'

type BodyLimits = Pick<Limits, 'maxBodyBytes' | 'spoolMemoryBytes' | 'bodyTimeout'>

/** Bytes a second, over each stretch of `bodyTimeout`: a body that trickles in slower is a body that does not come. */
const slowestRate = 1024
/** Megabytes of chunks of one byte each take seconds to read: after so many pieces, others have their turn. */
const piecesBetweenRests = 256

const unwanted = new Refusal('bodyMalformed', 'the body was no longer needed')

export interface BodyReader<Body> {
  readonly body: Body
  /** Nothing more is wanted, and what was spooled is removed. Undefined where there is nothing to wait for. */
  close(): Promise<void> | undefined
}

/** @param take gets each piece as it arrives */
export function readBody(
  source: BodySource,
  limits: BodyLimits,
  openAccount?: OpenAccount,
  take?: (piece: Uint8Array) => void,
): BodyReader<Promise<SpooledBody>> {
  const { promise, resolve, reject } = Promise.withResolvers<SpooledBody>()
  const spool = openSpool({ memoryBytes: limits.spoolMemoryBytes, openAccount })
  let writing: Promise<void> | undefined
  let pieces = 0
  const reading = new Reading(source, limits, {
    onPiece(bytes) {
      take?.(bytes)
      writing = spool.write(bytes)
      pieces += 1
      if (writing) writing.then(reading.goOn, reading.fail)
      else if (pieces % piecesBetweenRests === 0) setImmediate(reading.goOn)
      else return true
      return false
    },
    onEnd: (failure) => (failure ? reject(failure) : resolve(spool.body)),
  })
  if (isTooLarge(source, limits)) reading.fail(tooLarge(limits))
  else reading.goOn()
  const closeLate = async () => {
    await writing?.catch(() => {}) // it has the file until then
    await spool.body.close()
  }
  return {
    body: promise,
    close() {
      reading.fail(unwanted)
      return writing ? closeLate() : spool.body.close()
    },
  }
}

/** Nothing is spooled. @throws Refusal where it is announced as too large */
export function streamBody(source: BodySource, limits: BodyLimits): BodyReader<BodyStream> {
  let piece: Buffer | undefined
  let end: { readonly failure: Error | undefined } | undefined
  let wake = () => {}
  const reading = new Reading(source, limits, {
    onPiece(bytes) {
      piece = bytes
      wake()
      return false
    },
    onEnd(failure) {
      end = { failure }
      wake()
    },
  })
  async function* pieces(): AsyncGenerator<Buffer> {
    for (;;) {
      const held = piece
      piece = undefined
      if (held) yield held
      else if (end?.failure) throw end.failure
      else if (end) return
      else await new Promise<void>((resolve) => readOn(resolve))
    }
  }
  const readOn = (resolve: () => void) => {
    wake = resolve
    reading.goOn()
  }
  if (isTooLarge(source, limits)) throw tooLarge(limits)
  return {
    body: { size: source.size, pieces },
    close() {
      reading.fail(unwanted)
      return undefined
    },
  }
}

interface Reader {
  /** @returns false where nothing more must come until it goes on */
  onPiece(bytes: Buffer): boolean
  /** Once. */
  onEnd(failure: Error | undefined): void
}

/** What both have in common: the limits, and one end. */
class Reading implements BodySink {
  readonly #source: BodySource
  readonly #limits: BodyLimits
  readonly #reader: Reader
  #bytes = 0
  /** The reader waits for more. */
  #isOpen = false
  #hasBegun = false
  #isOver = false
  #watch: NodeJS.Timeout | undefined

  constructor(source: BodySource, limits: BodyLimits, reader: Reader) {
    this.#source = source
    this.#limits = limits
    this.#reader = reader
  }

  readonly goOn = (): void => {
    if (this.#isOver) return
    this.#isOpen = true
    if (this.#hasBegun) this.#source.goOn()
    else this.#begin()
  }

  #begin(): void {
    this.#hasBegun = true
    this.#source.readTo(this)
    if (!this.#isOver) this.#watchClient()
  }

  write(bytes: Buffer): boolean {
    if (this.#isOver) return true // the rest is thrown away as it comes
    this.#bytes += bytes.length
    if (this.#bytes > this.#limits.maxBodyBytes) this.fail(tooLarge(this.#limits))
    else this.#isOpen = this.#reader.onPiece(bytes)
    return this.#isOver || this.#isOpen
  }

  end(): void {
    this.#settle(undefined)
  }

  readonly fail = (failure: Error): void => this.#settle(failure)

  #settle(failure: Error | undefined): void {
    if (this.#isOver) return
    this.#isOver = true
    clearInterval(this.#watch)
    this.#reader.onEnd(failure)
  }

  /** A client counts as slow only for the time in which the reader waits for it. */
  #watchClient(): void {
    const { bodyTimeout } = this.#limits
    let before = 0
    let wasOpen = true
    this.#watch = setInterval(() => {
      const isSlow = wasOpen && this.#isOpen && this.#bytes - before < (slowestRate * bodyTimeout) / 1000
      before = this.#bytes
      wasOpen = this.#isOpen
      if (isSlow) inSlice(() => this.fail(new Refusal('bodyMalformed', 'body not received in time', { detail })))
    }, bodyTimeout)
  }
}

const detail = 'The request body did not arrive in time.'

function isTooLarge({ size }: BodySource, { maxBodyBytes }: BodyLimits): boolean {
  return size !== undefined && size > maxBodyBytes
}

export function tooLarge({ maxBodyBytes }: Pick<BodyLimits, 'maxBodyBytes'>): Refusal {
  const detail = `The request body is larger than ${maxBodyBytes} bytes.`
  return new Refusal('bodyTooLarge', 'body over the limit', { detail })
}
