/**
 * XML as a small tree, and its writer (specification 5, 7). Names stay as written, with their prefix; `select` resolves
 * namespaces.
 */
import { selectNodes } from './select-xml.ts'

/**
 * An XML document, as `createXmlDoc` makes it and `request.getXmlDoc()` returns it.
 * @example
 * ```ts
 * import assert from 'node:assert/strict'
 * import { createXmlDoc, writeXml, type XmlDocument } from 'integration-gateway'
 *
 * const document: XmlDocument = createXmlDoc('hire')
 * document.root.addElement('name', 'Ada')
 * assert.equal(writeXml(document), '<?xml version="1.0"?><hire><name>Ada</name></hire>')
 * ```
 */
export interface XmlDocument {
  /** The root element. */
  readonly root: XmlElement
}

/** An element: its attributes, and its child elements and text runs in their order. */
export interface XmlElement {
  /** The name as written, with its prefix; case-sensitive. */
  readonly name: string
  /** Values by name. The object has no prototype, so any name is safe. */
  readonly attributes: Readonly<Record<string, string>>
  /** Child elements and text runs, in their order. */
  readonly nodes: readonly XmlNode[]
  /** All text within the element and its descendants, untrimmed. */
  readonly text: string
  /** The first child element of that name. */
  child(name: string): XmlElement | undefined
  /** The child elements in order: all of them, or those of one name. */
  elements(name?: string): readonly XmlElement[]
  /**
   * The nodes that a path of child steps selects, in document order. A step is a name, `prefix:name` or `*`; the last may
   * be an attribute, `@name`: then the result is values. Prefixes are those of `namespaces`, whatever the document calls
   * them; a name without one is in no namespace, or in that of `''`. Only `*` selects an element with an undeclared prefix.
   * @param namespaces URIs by prefix
   * @throws RangeError for another path, or a prefix that `namespaces` lacks
   * @example
   * ```ts
   * import assert from 'node:assert/strict'
   * import { createXmlDoc } from 'integration-gateway'
   *
   * const { root } = createXmlDoc('env:Envelope')
   * const soap = 'http://schemas.xmlsoap.org/soap/envelope/'
   * root.setAttribute('xmlns:env', soap)
   * const hire = root.addElement('env:Body').addElement('Hire')
   * hire.setAttribute('xmlns', 'urn:example:hr')
   * hire.addElement('Name', 'Ada').setAttribute('lang', 'en')
   *
   * const namespaces = { s: soap, hr: 'urn:example:hr' }
   * const [name] = root.select('s:Body/hr:Hire/hr:Name', namespaces)
   * assert.equal(name?.text, 'Ada')
   * assert.deepEqual(root.select('s:Body/hr:Hire/hr:Name/@lang', namespaces), ['en'])
   * ```
   */
  select<Path extends string>(path: Path, namespaces?: Readonly<Record<string, string>>): XmlSelected<Path>
  /**
   * Sets or replaces an attribute. @returns the element itself
   * @throws RangeError if the name is not an XML name, or the value has a character that XML cannot carry
   */
  setAttribute(name: string, value: string): XmlElement
  /**
   * Appends a child element, with its text if given. @returns the new child
   * @throws RangeError if the name is not an XML name, or the text has a character that XML cannot carry
   * @example
   * ```ts
   * import assert from 'node:assert/strict'
   * import { createXmlDoc } from 'integration-gateway'
   *
   * const { root } = createXmlDoc('response')
   * const meta = root.addElement('META').setAttribute('isMETA', 'True')
   * meta.addElement('OPRID', 'DEMO')
   * assert.equal(root.child('META')?.child('OPRID')?.text, 'DEMO')
   * assert.throws(() => root.addElement('value', '\u0001'), RangeError)
   * ```
   */
  addElement(name: string, text?: string): XmlElement
  /** Appends text. @throws RangeError if it has a character that XML cannot carry */
  addText(text: string): XmlElement
  /**
   * Appends text that is written as a CDATA section, or as several where it contains `]]>` or a carriage return. To a
   * reader it is text. @throws RangeError if it has a character that XML cannot carry
   * @example
   * ```ts
   * import assert from 'node:assert/strict'
   * import { createXmlDoc, writeXml } from 'integration-gateway'
   *
   * const document = createXmlDoc('report')
   * document.root.addCData('<b>12 & 13</b>')
   * assert.ok(writeXml(document).endsWith('<report><![CDATA[<b>12 & 13</b>]]></report>'))
   * ```
   */
  addCData(text: string): XmlElement
}

/** A child of an element: another element, or a run of text. */
export type XmlNode = XmlElement | string

/** The result of `select`: values if the path ends in an attribute, else elements. */
export type XmlSelected<Path extends string> = string extends Path
  ? readonly XmlElement[] | readonly string[]
  : Path extends `${string}@${string}`
    ? readonly string[]
    : readonly XmlElement[]

/**
 * A new document with an empty root element.
 * @throws RangeError if the name is not an XML name
 */
export function createXmlDoc(rootName: string): XmlDocument {
  return { root: new Element(requireName(rootName)) }
}

/**
 * The document as text: it begins with `<?xml version="1.0"?>` and is not indented. Reading it back gives the same tree.
 */
export function writeXml(document: XmlDocument): string {
  return `<?xml version="1.0"?>${writeElement(document.root)}`
}

/**
 * Whether XML 1.0 can carry these characters: it has no place for most control characters, U+FFFE, U+FFFF and lone
 * surrogates, not even escaped.
 * @example
 * ```ts
 * import assert from 'node:assert/strict'
 * import { isXmlText } from 'integration-gateway'
 *
 * assert.equal(isXmlText('tab\t, newline\n and 😀'), true)
 * assert.equal(isXmlText('\u0000'), false)
 * ```
 */
export function isXmlText(text: string): boolean {
  return !unfitCharacter.test(text)
}

/** The parser has made these checks already. */
export class Element implements XmlElement {
  readonly name: string
  attributes: Record<string, string>
  nodes: readonly XmlNode[] = noNodes
  /** Declares the namespaces that this element does not. */
  readonly parent: Element | undefined

  constructor(name: string, attributes: Record<string, string> = noAttributes, parent?: Element) {
    this.name = name
    this.attributes = attributes
    this.parent = parent
  }

  get text(): string {
    const [first] = this.nodes
    if (this.nodes.length <= 1 && typeof first !== 'object') return first ?? ''
    return this.nodes.map((node) => (typeof node === 'string' ? node : node.text)).join('')
  }

  child(name: string): XmlElement | undefined {
    return this.nodes.find((node): node is XmlElement => typeof node !== 'string' && node.name === name)
  }

  elements(name?: string): readonly XmlElement[] {
    if (name === undefined && this.nodes.every(isElement)) return this.nodes as readonly XmlElement[]
    return this.nodes.filter((node) => isElement(node) && (name === undefined || node.name === name)) as XmlElement[]
  }

  select<Path extends string>(path: Path, namespaces: Readonly<Record<string, string>> = {}): XmlSelected<Path> {
    return selectNodes<Element>(this, path, namespaces) as XmlSelected<Path>
  }

  setAttribute(name: string, value: string): this {
    requireName(name)
    requireText(value)
    if (this.attributes === noAttributes) this.attributes = Object.create(null)
    this.attributes[name] = value
    return this
  }

  addElement(name: string, text?: string): XmlElement {
    const element = new Element(requireName(name), undefined, this)
    if (text !== undefined) element.addText(text)
    this.append(element)
    return element
  }

  addText(text: string): this {
    this.appendText(requireText(text))
    return this
  }

  addCData(text: string): this {
    requireText(text)
    if (text === '') return this
    sections ??= new WeakMap()
    sections.set(this, (sections.get(this) ?? new Set()).add(this.nodes.length))
    this.append(text)
    return this
  }

  /** Adjacent runs are joined, as a parser would return them; a CDATA section stays alone. */
  appendText(text: string): void {
    if (text === '') return
    const node = this.nodes.at(-1)
    const isSection = sections?.get(this)?.has(this.nodes.length - 1) === true
    if (typeof node === 'string' && !isSection) (this.nodes as XmlNode[])[this.nodes.length - 1] = node + text
    else this.append(text)
  }

  /** Most elements have one node or two; a growing array would allocate seventeen. */
  append(node: XmlNode): void {
    const { nodes } = this
    const [first] = nodes
    if (first === undefined) this.nodes = [node]
    else if (nodes.length === 1) this.nodes = [first, node]
    else (nodes as XmlNode[]).push(node)
  }
}

function isElement(node: XmlNode): node is XmlElement {
  return typeof node !== 'string'
}

/** The positions of CDATA sections among the nodes of an element; most programs write none. */
let sections: WeakMap<XmlElement, Set<number>> | undefined

const noNodes: readonly XmlNode[] = Object.freeze([])
const noAttributes: Record<string, string> = Object.freeze(Object.create(null))

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML 1.0 leaves out
const unfitCharacter = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF\p{Surrogate}]/u
const nameStart =
  ':A-Z_a-z\\u{C0}-\\u{D6}\\u{D8}-\\u{F6}\\u{F8}-\\u{2FF}\\u{370}-\\u{37D}\\u{37F}-\\u{1FFF}\\u{200C}\\u{200D}' +
  '\\u{2070}-\\u{218F}\\u{2C00}-\\u{2FEF}\\u{3001}-\\u{D7FF}\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFFD}\\u{10000}-\\u{EFFFF}'
const nameSyntax = new RegExp(`^[${nameStart}][${nameStart}\\-.0-9\\u{B7}\\u{300}-\\u{36F}\\u{203F}\\u{2040}]*$`, 'u')

function requireName(name: string): string {
  if (nameSyntax.test(name)) return name
  throw new RangeError(`${JSON.stringify(name)} is not a name that XML allows`)
}

function requireText(text: string): string {
  if (typeof text !== 'string') throw new TypeError(`XML text must be a string, not ${typeof text}`)
  const unfit = unfitCharacter.exec(text)?.[0].charCodeAt(0)
  if (unfit === undefined) return text
  throw new RangeError(`XML cannot carry the character U+${unfit.toString(16).toUpperCase().padStart(4, '0')}`)
}

/** Without the XML declaration. */
export function writeElement(element: XmlElement): string {
  const { name, attributes, nodes } = element
  let tag = name
  for (const attribute in attributes) tag += ` ${attribute}="${escapeValue(attributes[attribute] ?? '')}"`
  if (nodes.length === 0) return `<${tag}/>`
  const own = sections?.get(element)
  if (own)
    return `<${tag}>${nodes.map((node, at) => (own.has(at) ? writeSection(node) : writeNode(node))).join('')}</${name}>`
  let content = ''
  for (const node of nodes) content += writeNode(node)
  return `<${tag}>${content}</${name}>`
}

function writeNode(node: XmlNode): string {
  return typeof node === 'string' ? escapeText(node) : writeElement(node)
}

/** A carriage return within a section would be read back as a line feed, and `]]>` as its end: both are outside of it. */
function writeSection(node: XmlNode): string {
  const text = String(node).replaceAll(']]>', ']]]]><![CDATA[>').replaceAll('\r', ']]>&#13;<![CDATA[')
  return `<![CDATA[${text}]]>`
}

function escapeText(text: string): string {
  return /[&<>\r]/.test(text) ? text.replace(/[&<>\r]/g, escapeCharacter) : text
}

function escapeValue(value: string): string {
  return value.replace(/[&<>"\t\n\r]/g, escapeCharacter)
}

/** A tab or line break in an attribute, and a CR anywhere, would be read back as another character. */
function escapeCharacter(character: string): string {
  return escapes[character] ?? character
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
}
