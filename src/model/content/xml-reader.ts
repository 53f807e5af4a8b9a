/**
 * Reads XML (specification 5.11): as a tree, or as a stream of the elements directly below the root. A DOCTYPE,
 * ill-formed XML and XML beyond the limits are `bodyMalformed`; only the five predefined entities and character
 * references are known.
 */
import { setImmediate } from 'node:timers/promises'
import { SaxesParser } from 'saxes'
import { flattenBatches } from '../../base/flatten-batches.ts'
import type { Limits } from '../../settings.ts'
import type { MemoryAccount, OpenAccount } from '../memory-budget.ts'
import { Refusal } from '../refusal.ts'
import { Element, type XmlDocument, type XmlElement } from './xml.ts'

export type XmlLimits = Pick<Limits, 'xmlMaxDepth' | 'xmlMaxAttributes' | 'xmlMaxTextLength'>

/**
 * Maximum heap of a tree, in bytes: at least what Node 24 took for 25 shapes of documents. A text cut out of a piece keeps
 * the whole piece; an entity turns its text into a rope.
 */
const cost = { element: 128, attribute: 112, text: 64, character: 2, entity: 32 }
/** Smaller trees are not reserved; larger ones are, in steps of this size. */
const reserveStep = 64 * 1024

/** @param memory opens an account for a large tree; its owner closes it */
export async function readXmlDocument(
  pieces: AsyncIterable<string>,
  limits: XmlLimits,
  memory?: OpenAccount,
): Promise<XmlDocument> {
  const reader = new XmlReader(limits, { memory })
  for await (const piece of unhurried(pieces)) reader.write(piece)
  return { root: reader.end() }
}

/** A complete text. @throws Refusal as reading does */
export function parseXml(text: string, limits: XmlLimits): XmlDocument {
  const reader = new XmlReader(limits)
  reader.write(text)
  return { root: reader.end() }
}

/** @param rootName another root element is refused @param memory as for a document: for the largest element */
export function readXmlElements(
  pieces: AsyncIterable<string>,
  limits: XmlLimits,
  rootName?: string,
  memory?: OpenAccount,
): AsyncIterableIterator<XmlElement> {
  return flattenBatches(readBatches(pieces, limits, rootName, memory))
}

/** The elements that each piece ends. */
async function* readBatches(
  pieces: AsyncIterable<string>,
  limits: XmlLimits,
  rootName: string | undefined,
  memory: OpenAccount | undefined,
): AsyncGenerator<readonly XmlElement[], void> {
  let ready: XmlElement[] = []
  const reader = new XmlReader(limits, { rootName, memory, onElement: (element) => ready.push(element) })
  for await (const piece of unhurried(pieces)) {
    reader.write(piece)
    yield ready
    ready = []
  }
  reader.end()
}

/** Other calls and timers (the timeout among them) run before each piece but the first. */
async function* unhurried(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let isFirst = true
  for await (const piece of pieces) {
    if (!isFirst) await setImmediate()
    isFirst = false
    yield piece
  }
}

interface ReaderOptions {
  readonly rootName?: string | undefined
  readonly memory?: OpenAccount | undefined
  /** Receives each element below the root, which then leaves the tree. */
  readonly onElement?: (element: Element) => void
}

class XmlReader {
  readonly #parser = new SaxesParser({ xmlns: false, forceXMLVersion: true, defaultXMLVersion: '1.0' }) // XML 1.1 would allow control characters
  readonly #limits: XmlLimits
  readonly #open: Element[] = []
  #root: Element | undefined
  /** Characters read without a result: a run of text, a tag or a comment that does not end. */
  #pending = 0
  /** Bytes that the tree takes, and how many of them are already checked. */
  #size = 0
  #reserved = reserveStep
  readonly #openAccount: OpenAccount | undefined
  #account: MemoryAccount | undefined

  constructor(limits: XmlLimits, { rootName, memory, onElement }: ReaderOptions = {}) {
    this.#limits = limits
    this.#openAccount = memory
    const parser = this.#parser
    const open = this.#open
    let attributes = 0
    // Seven handlers at most: an eighth makes V8 keep the parser as a dictionary, five times slower.
    parser.on('error', (error) => this.#refuse(error.message.replace(/^\d+:\d+: /, '')))
    parser.on('doctype', () => this.#refuse('a DOCTYPE is not allowed.'))
    parser.on('attribute', ({ value }) => {
      attributes += 1
      if (attributes > limits.xmlMaxAttributes)
        this.#refuse(`an element has more than ${limits.xmlMaxAttributes} attributes.`)
      this.#requireLength(value.length)
      this.#grow(cost.attribute)
    })
    parser.on('opentag', (tag) => {
      this.#pending = 0
      if (open.length >= limits.xmlMaxDepth) this.#refuse(`elements are nested more than ${limits.xmlMaxDepth} deep.`)
      const parent = open.at(-1)
      const element = new Element(tag.name, attributes === 0 ? undefined : tag.attributes, parent)
      this.#grow(attributes === 0 ? cost.element : cost.element + cost.attribute) // the characters of the tag are counted already
      attributes = 0
      if (!parent) this.#begin(element, rootName)
      else if (open.length > 1 || !onElement) parent.append(element)
      open.push(element)
    })
    parser.on('closetag', () => {
      this.#pending = 0
      const element = open.pop()
      if (!onElement || !element || open.length !== 1) return
      this.#size = 0
      onElement(element)
    })
    const addText = (text: string) => {
      this.#pending = 0
      this.#requireLength(text.length)
      if (open.length === 0 || (open.length === 1 && onElement)) {
        this.#size = 0 // outside any tree
        return
      }
      this.#grow(cost.text)
      open.at(-1)?.appendText(text)
    }
    parser.on('text', addText)
    parser.on('cdata', addText)
  }

  write(piece: string): void {
    this.#requireLength(this.#pending)
    this.#pending += piece.length
    this.#grow(piece.length * cost.character + countEntities(piece) * cost.entity)
    this.#parser.write(piece)
  }

  end(): XmlElement {
    this.#parser.close()
    if (this.#root) return this.#root
    throw this.#refuse('document must contain a root element.')
  }

  #grow(bytes: number): void {
    this.#size += bytes
    if (this.#size > this.#reserved) this.#reserve()
  }

  #reserve(): void {
    this.#account ??= this.#openAccount?.()
    this.#account?.require(this.#size + reserveStep)
    this.#reserved = this.#size + reserveStep
  }

  #begin(root: Element, rootName: string | undefined): void {
    if (rootName !== undefined && root.name !== rootName)
      this.#refuse(`the root element is not ${rootName}: ${root.name}`)
    this.#root ??= root
  }

  #requireLength(length: number): void {
    const { xmlMaxTextLength } = this.#limits
    if (length > xmlMaxTextLength) this.#refuse(`a text or value is longer than ${xmlMaxTextLength} characters.`)
  }

  /** The text after the colon came from the body. */
  #refuse(message: string): never {
    const { line, column } = this.#parser
    const reason = message.replace(/(?<=: .{64}).+/su, '…').replace(/\.?$/, '.')
    const detail = `The XML is refused at line ${line}, column ${column}: ${reason}`
    throw new Refusal('bodyMalformed', detail, { detail })
  }
}

function countEntities(piece: string): number {
  let count = 0
  for (let at = piece.indexOf('&'); at >= 0; at = piece.indexOf('&', at + 1)) count += 1
  return count
}
