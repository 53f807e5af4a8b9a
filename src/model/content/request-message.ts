/** The request message: one call's URL values, headers and spooled body (specification 5.2, 5.10). */
import type { Readable } from 'node:stream'
import { negotiateType } from '../../base/negotiate.ts'
import type { Limits } from '../../settings.ts'
import type { Call, SpooledBody } from '../call.ts'
import { type MemoryAccount, unboundedMemory } from '../memory-budget.ts'
import type { Operation } from '../operation.ts'
import { loggedBodyBytes } from '../operation-terms.ts'
import { Refusal } from '../refusal.ts'
import { groupQuery, type Target } from '../uri/target.ts'
import type { UriDocument } from '../uri/uri-document.ts'
import { decodeBody, decodeWhole, pieceBytes as textPiece } from './encoding.ts'
import { isJsonType, malformed, parseJson } from './json.ts'
import type { RequestMessage } from './message.ts'
import { type Schema, type SchemaOutput, validate } from './standard-schema.ts'
import type { XmlDocument, XmlElement } from './xml.ts'
import { readXmlDocument, readXmlElements, type XmlLimits } from './xml-reader.ts'

/** What the message needs of the one parse of the target. */
export type ReadTarget = Pick<Target, 'rawPath' | 'rawQuery' | 'query'>

export interface RequestParts {
  readonly call: Call
  readonly target: ReadTarget
  readonly operation: Operation
  readonly uri: UriDocument
  readonly transactionId: string
  readonly body: SpooledBody
  readonly limits: XmlLimits & Pick<Limits, 'jsonMaxBytes'>
  readonly platformName: string
}

/** Smaller bodies are read at once: a stream would cost more than it saves. */
const smallBody = 64 * 1024
/** Memory for each byte of a body read as one text: two for a character beyond Latin-1, and the text is joined once. */
const textCost = 4
/** Per piece, while the body is read. */
const pieceBytes = 256 * 1024

/** Owns the body: call `close` when the call is over. */
export class SpooledRequest implements RequestMessage {
  readonly operationName: string
  readonly operationVersion: string
  readonly transactionId: string
  exception: Error | undefined
  /** Set while its body is still arriving: the time of its handler begins when it has. */
  received: Promise<void> | undefined
  /** Headers that the handler read and that are not part of the cache key. */
  unkeyedHeaders: Set<string> | undefined
  /** The handler passed the body on, perhaps to where a rollback does not reach. */
  hasStreamedBody = false
  /** The first part of the body, if logs keep it. */
  loggedBody: Buffer | undefined
  readonly #parts: RequestParts
  #values: UriDocument['values'] | undefined
  #streams: Readable[] | undefined
  #accounts: MemoryAccount[] | undefined
  #isClosed = false

  constructor(parts: RequestParts) {
    this.#parts = parts
    this.operationName = parts.operation.fullName
    this.operationVersion = parts.operation.version
    this.transactionId = parts.transactionId
  }

  get uriResourceIndex(): number {
    return this.#parts.uri.uriResourceIndex
  }

  get call(): Call {
    return this.#parts.call
  }

  get target(): ReadTarget {
    return this.#parts.target
  }

  get uri(): UriDocument {
    return this.#parts.uri
  }

  /** Path and query, except for what a setting ignores. */
  get plainUrl(): string {
    const { rawPath, rawQuery } = this.target
    return rawQuery === undefined ? rawPath : `${rawPath}?${rawQuery}`
  }

  get body(): SpooledBody {
    return this.#parts.body
  }

  /** Aborted if the client disconnects. */
  get clientSignal(): AbortSignal {
    return this.#parts.call.signal
  }

  /** The client wants no body. */
  get isHead(): boolean {
    return this.#parts.call.method === 'HEAD'
  }

  /** Present if the client must know the size of a body beforehand. */
  get collect(): Call['collect'] {
    return this.#parts.call.collect
  }

  /** Memory of the reply, held until the client has received it. */
  get replyMemory(): MemoryAccount | undefined {
    return this.#parts.call.memory
  }

  /** @returns whether logs keep more of the body than that */
  logBody(piece: Buffer): boolean {
    const known = this.loggedBody ?? Buffer.alloc(0)
    this.loggedBody = Buffer.concat([known, piece.subarray(0, loggedBodyBytes - known.length)])
    return this.loggedBody.length < loggedBodyBytes
  }

  getUriDocument(): UriDocument['values'] {
    this.#values ??= this.#parts.uri.values
    return this.#values
  }

  /** Values of the URL as sent, decoded. */
  get uriTexts(): UriDocument['texts'] {
    return this.#parts.uri.texts
  }

  getQuery(): ReadonlyMap<string, readonly string[]> {
    return groupQuery(this.#parts.target.query)
  }

  getHeader(name: string): string | undefined {
    const { call, operation } = this.#parts
    const key = name.toLowerCase()
    if (this.#isBuiltIn(key)) return undefined
    const keyed: readonly string[] = operation.cacheVary ?? []
    if (operation.method === 'GET' && !keyed.includes(key)) (this.unkeyedHeaders ??= new Set()).add(key)
    const value = Object.hasOwn(call.headers, key) ? call.headers[key] : undefined
    return Array.isArray(value) ? value.join(', ') : value
  }

  getHeaderNames(): readonly string[] {
    if (this.#parts.operation.method === 'GET') (this.unkeyedHeaders ??= new Set()).add('the list of headers')
    return Object.keys(this.#parts.call.headers).filter((name) => !this.#isBuiltIn(name))
  }

  /** The gateway's to set, not the caller's. */
  #isBuiltIn(name: string): boolean {
    return name.startsWith('ig-') || name.startsWith(`x-${this.#parts.platformName}-`)
  }

  getAcceptedType(): string | undefined {
    const { operation } = this.#parts
    return negotiateType(this.getHeader('accept'), operation.responseTypes ?? [operation.response.contentType])
  }

  async getContentString(): Promise<string> {
    const { size } = this.#parts.body
    if (size > smallBody) this.openAccount().require(size * textCost)
    let content = ''
    for await (const piece of this.#text()) content += piece
    return content
  }

  async getContentBytes(): Promise<Buffer> {
    const { body } = this.#parts
    if (body.size > smallBody) this.openAccount().require(body.size)
    return body.bytes()
  }

  getContentStream(): Readable {
    this.hasStreamedBody = true
    const stream = this.#parts.body.stream()
    stream.on('error', () => {}) // the reader gets the error; without a reader it must not end the process
    this.#streams ??= []
    this.#streams.push(stream)
    return stream
  }

  getJson<Of extends Schema>(schema: Of): Promise<SchemaOutput<Of>>
  getJson(): Promise<unknown>
  async getJson(schema: Schema | undefined = this.#parts.operation.handler.requestSchema): Promise<unknown> {
    const { body, call, limits } = this.#parts
    const contentType = call.headers['content-type']
    if (typeof contentType !== 'string' || !isJsonType(contentType)) {
      const detail = 'The content type of the body must be application/json, or end in +json.'
      throw new Refusal('contentUnsupported', 'not JSON', { detail })
    }
    if (body.size === 0) throw malformed('no body instead of JSON', 'The request has no body; it must be JSON.')
    if (body.size > limits.jsonMaxBytes)
      throw malformed('JSON over ig.limits.json', `The JSON has more than ${limits.jsonMaxBytes} bytes.`)
    const memory = body.size > smallBody ? this.openAccount() : undefined
    memory?.require(body.size * textCost)
    const value = parseJson(decodeWhole(await body.bytes(), contentType), memory)
    return schema ? validate(schema, value) : value
  }

  getXmlDoc(): Promise<XmlDocument> {
    return readXmlDocument(this.#text(), this.#parts.limits, () => this.openAccount())
  }

  getXmlElements(rootName?: string): AsyncIterable<XmlElement> {
    return readXmlElements(this.#text(), this.#parts.limits, rootName, () => this.openAccount())
  }

  setRestCache(): void {}

  async close(): Promise<void> {
    this.#isClosed = true
    this.endRun()
    await this.#parts.body.close()
  }

  /** The handler runs no more, or again from its start. */
  endRun(): void {
    for (const stream of this.#streams ?? []) stream.destroy()
    for (const account of this.#accounts ?? []) account.close()
    this.#streams = undefined
    this.#accounts = undefined
  }

  #text(): AsyncIterable<string> {
    const contentType = this.#parts.call.headers['content-type']?.toString()
    return this.#parts.body.size <= textPiece ? this.#whole(contentType) : decodeBody(this.#bytes(), contentType)
  }

  async *#whole(contentType: string | undefined): AsyncGenerator<string> {
    yield decodeWhole(await this.#parts.body.bytes(), contentType)
  }

  async *#bytes(): AsyncGenerator<Buffer> {
    const { body } = this.#parts
    if (body.size <= smallBody) return yield await body.bytes()
    const memory = this.openAccount()
    memory.require(pieceBytes)
    for await (const piece of body.pieces()) {
      this.#parts.call.signal.throwIfAborted() // a cancelled call does not need the rest
      yield piece
    }
    memory.close()
  }

  /** Each read of the body or of the database has its own; all end with the run. */
  openAccount(): MemoryAccount {
    const account = (this.#parts.call.memory ?? unboundedMemory).open()
    this.#accounts ??= []
    this.#accounts.push(account)
    if (this.#isClosed) account.close()
    return account
  }
}
