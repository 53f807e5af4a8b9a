/** The response message: what a handler fills, and the gateway sends (specification 5.3, 5.7). */
import type { ResponseMessage } from './message.ts'
import type { Operation } from './operation.ts'
import { writeXml, type XmlDocument } from './xml.ts'

export class FilledResponse implements ResponseMessage {
  readonly operationName: string
  /** The call it was made for: a message kept from another call is no answer. */
  readonly transactionId: string
  httpResponseCode: number
  content = ''
  /** Flat: name, value… */
  readonly headers: string[] = []
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

  setHeader(name: string, value: string): void {
    const key = name.toLowerCase()
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(key)) throw new TypeError(`${JSON.stringify(name)} is not a header name`)
    const isOurs = gatewayHeaders.has(key) || key.startsWith('ig-') || key.startsWith(`x-${this.#platformName}-`)
    if (isOurs) throw new TypeError(`${name} is a header that the gateway sets`)
    requireHeaderValue(name, value)
    const index = this.headers.findIndex((known, position) => position % 2 === 0 && known === key)
    if (index >= 0 && key !== 'set-cookie') this.headers[index + 1] = value
    else this.headers.push(key, value)
  }

  setRestCache(expires: Date | number): void {
    const time = Number(expires)
    if (!Number.isFinite(time)) throw new TypeError('setRestCache takes a Date or epoch milliseconds')
    this.cacheExpires = time
  }
}

/** Framing, negotiation, and what `contentType` says. */
const gatewayHeaders: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** No line break can begin another header. */
export function requireHeaderValue(name: string, value: string): string {
  if (typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return value
  throw new TypeError(`The value of the header ${name} has characters that HTTP does not allow`)
}
