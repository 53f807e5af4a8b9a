/** The response message: the handler fills it, the gateway sends it (specification 5.3, 5.7). */
import { EventEmitter } from 'node:events'
import type { ReplyBody } from '../call.ts'
import type { Operation } from '../operation.ts'
import { isJsonType } from './json.ts'
import { writeJson } from './json-writer.ts'
import type { ResponseMessage } from './response.ts'
import { describe, findHeaderProblem, requireHeaderValue } from './response-headers.ts'
import { writeXml, type XmlDocument } from './xml.ts'

/** What a handler filled the body with. Bytes are the handler's own: nothing copies them. */
export type ResponseContent = string | Buffer

/** A body that is yielded while it is sent. */
export class StreamContent {
  readonly source: AsyncIterable<string | Uint8Array>
  /** Size in bytes, if it is known. */
  readonly size: number | undefined

  constructor(source: AsyncIterable<string | Uint8Array>, size: number | undefined) {
    if (typeof source?.[Symbol.asyncIterator] !== 'function')
      throw new TypeError(`setContentStream takes an AsyncIterable, such as a Readable, not ${describe(source)}`)
    if (size !== undefined && !(Number.isSafeInteger(size) && size >= 0))
      throw new TypeError(`The size of a stream is a whole number of bytes, not ${String(size)}`)
    this.source = source
    this.size = size
    // A stream of Node that fails before it is read must not end the process: its reader gets the error
    if (source instanceof EventEmitter) source.on('error', () => {})
  }
}

/** The answer of another server, as it is sent. */
export interface PassedAnswer {
  readonly status: number
  /** Flat: name, value… */
  readonly headers: readonly string[]
  readonly content: Buffer | StreamContent
  /** Bytes that a stream uses while it is sent. */
  readonly memory: number
}

export class FilledResponse implements ResponseMessage {
  readonly operationName: string
  /** The call it was made for: a message of another call is not accepted. */
  readonly transactionId: string
  httpResponseCode: number
  content: ResponseContent | StreamContent = ''
  /** Of a substitute, instead of the content: bytes as they are, with any status. */
  rawBody: ReplyBody | undefined
  /** Of a substitute that forwards, instead of everything else (specification 36.1). */
  passed: PassedAnswer | undefined
  /** Flat: name, value… */
  readonly headers: string[] = []
  /** Set by `answerConditional`: the gateway may answer with 304 or a range of the body. */
  isConditional = false
  /** The client has it already. */
  isNotModified = false
  /** Epoch milliseconds. */
  cacheExpires: number | undefined
  readonly #platformName: string
  #contentType: string

  constructor(operation: Operation, transactionId: string, platformName: string) {
    this.operationName = operation.fullName
    this.transactionId = transactionId
    this.httpResponseCode = operation.response.httpCode
    this.#contentType = operation.response.contentType
    this.#platformName = platformName
  }

  get contentType(): string {
    return this.#contentType
  }

  set contentType(value: string) {
    this.#contentType = requireHeaderValue('content-type', value)
  }

  setXmlDoc(document: XmlDocument): void {
    this.content = writeXml(document)
  }

  setContentString(content: string): void {
    if (typeof content !== 'string') throw new TypeError(`setContentString takes a string, not ${typeof content}`)
    this.content = content
  }

  setContentBytes(bytes: Uint8Array): void {
    if (!(bytes instanceof Uint8Array))
      throw new TypeError(`setContentBytes takes a Buffer or a Uint8Array, not ${describe(bytes)}`)
    this.content = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  setJson(value: unknown): void {
    this.content = writeJson(value)
    if (!isJsonType(this.#contentType)) this.#contentType = 'application/json'
  }

  setContentStream(source: AsyncIterable<string | Uint8Array>, { size }: { readonly size?: number } = {}): void {
    this.content = new StreamContent(source, size)
  }

  setHeader(name: string, value: string): void {
    if (typeof name !== 'string') throw new TypeError(`The name of a header must be a string, not ${describe(name)}`)
    const key = name.toLowerCase()
    const fault = findHeaderProblem(name, value, this.#platformName)
    if (fault !== undefined) throw new TypeError(fault)
    const index = this.headers.findIndex((known, position) => position % 2 === 0 && known === key)
    if (index >= 0 && key !== 'set-cookie') this.headers[index + 1] = value
    else this.headers.push(key, value)
  }

  setRestCache(expires: Date | number): void {
    const time = Number(expires)
    if (!Number.isFinite(time)) throw new TypeError('setRestCache takes a Date or epoch milliseconds')
    if (typeof expires === 'number' && expires < leastEpoch)
      throw new RangeError(
        `setRestCache takes the time at which the entry expires, and ${expires} looks like a duration: ` +
          'pass a Date or epoch milliseconds, such as context.now() + 60_000',
      )
    this.cacheExpires = time
  }
}

/** Epoch milliseconds of 1973: a smaller number was meant as a duration. */
const leastEpoch = 1e11
