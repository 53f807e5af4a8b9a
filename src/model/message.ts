/** Request and response messages (specification 5). */
import type { Readable } from 'node:stream'
import type { UriDocument } from './uri-document.ts'
import type { XmlDocument, XmlElement } from './xml.ts'

export interface RequestMessage {
  /** Full name, `ECHO_GET`. */
  readonly operationName: string
  readonly operationVersion: string
  readonly transactionId: string
  /** The index of the URI template that matched, from 1. */
  readonly uriResourceIndex: number
  /** Why `onError` runs; undefined in `onRequest`. */
  readonly exception: Error | undefined
  getUriDocument(): UriDocument['values']
  /** A header of the request, lower-case name. */
  getHeader(name: string): string | undefined
  /** The whole body as text, decoded. @throws Refusal contentUnsupported, bodyMalformed */
  getContentString(): Promise<string>
  /** The body's bytes. */
  getContentStream(): Readable
  /** The whole body as an XML tree. @throws Refusal bodyMalformed */
  getXmlDoc(): Promise<XmlDocument>
  /**
   * The body as a stream: every element directly below the root, one after the other, each as a small tree.
   * @param rootName refuses another root element as bodyMalformed
   */
  getXmlElements(rootName?: string): AsyncIterable<XmlElement>
  /** Has no effect on a request (specification 6, rule 1). */
  setRestCache(expires: Date | number): void
}

export interface ResponseMessage {
  readonly operationName: string
  /** 200–299 or 400–499; a 4xx rolls back what the handler wrote. */
  httpResponseCode: number
  /** Default: the operation's response content type. */
  contentType: string
  setXmlDoc(document: XmlDocument): void
  setContentString(content: string): void
  /** Adds a response header of the handler's own; framing, `ig-*` and platform headers are refused with an error. */
  setHeader(name: string, value: string): void
  /** Keeps this response in the REST cache until then (GET operations only). @param expires Date or epoch milliseconds */
  setRestCache(expires: Date | number): void
}
