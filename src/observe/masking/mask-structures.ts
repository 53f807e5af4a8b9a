/**
 * Masks values in JSON and XML, wherever they begin in a text (specification 8.7): in one pass, without errors, so
 * truncated, mixed or malformed text is masked as far as possible. Everything but the masked values stays unchanged.
 */
import { type Listener, type Place, skipJson, skipXml } from './read-structures.ts'

export const masked = '[redacted]'

export interface MaskingRules {
  /** Whether everything in a member, element or attribute of this name is masked. */
  readonly isSecret: (name: string) => boolean
  /** The displayed value; `masked` to hide all of it. */
  readonly show: (name: string, value: string) => string
  /** The same for a comment or a processing instruction. */
  readonly showRemark: (text: string) => string
  /** Whether text outside the structures is shown. */
  readonly showsProse: boolean
}

interface Frame {
  readonly name: string
  readonly start: number
  readonly isHidden: boolean
  readonly isArray: boolean
  /** A child has the name of a secret: `<key>password</key><value>…</value>`. */
  namesSecret: boolean
  /** An attribute has: `<field name="password">…</field>`. */
  isNamed: boolean
  /** Possible values of that name. */
  readonly values: { readonly start: number; readonly end: number }[]
  items: number
  /** Of an element with one short text. */
  text: string | undefined
}

/** The events of the readers. */
export class Mask implements Listener {
  readonly #text: string
  readonly #rules: MaskingRules
  readonly #frames: Frame[] = []
  readonly #cuts: { readonly start: number; readonly end: number; readonly by: string }[] = []

  constructor(text: string, rules: MaskingRules) {
    this.#text = text
    this.#rules = rules
  }

  get depth(): number {
    return this.#frames.length
  }

  open(name: string, start: number, isArray = false): void {
    const parent = this.#frames.at(-1)
    const isHidden = parent?.isHidden === true || this.#rules.isSecret(name)
    const frame = { name, start, isHidden, isArray, namesSecret: false, isNamed: false, values: [], items: 0 }
    this.#frames.push({ ...frame, text: undefined })
  }

  /** A value with a name of its own. @param isAttribute of the open element */
  value(name: string, place: Place, isAttribute = false): void {
    const frame = this.#frames.at(-1)
    if (frame?.isHidden) return
    const value = place.decode(this.#text.slice(place.start, place.end))
    if (frame) {
      const role = frame.isArray ? (frame.items === 0 ? 'key' : 'value') : name
      frame.items += 1
      if (nameLike.test(role) && isNameOfSecret(value, this.#rules.isSecret)) {
        frame.namesSecret = true
        frame.isNamed ||= isAttribute
      } else if (valueLike.test(role)) frame.values.push(place)
    }
    this.#show(this.#rules.isSecret(name) ? masked : this.#rules.show(name, value), value, place)
  }

  /** A text of the open element. */
  text(place: Place): void {
    const frame = this.#frames.at(-1)
    if (!frame || frame.isHidden) return
    const value = place.decode(this.#text.slice(place.start, place.end))
    if (value.trim() === '') return
    frame.text = frame.items === 0 && value.length <= longestName ? value : undefined
    frame.items += 1
    this.#show(this.#rules.show(frame.name, value), value, place)
  }

  remark(start: number, end: number): void {
    if (this.#frames.at(-1)?.isHidden) return
    const text = this.#text.slice(start, end)
    const shown = this.#rules.showRemark(text)
    if (shown !== text) this.#cut(start, end, shown)
  }

  /** @returns whether it may be shown; text after it is no structure then */
  prose(start: number, end: number): boolean {
    const text = this.#text.slice(start, end)
    const isShown = this.#rules.showsProse || text.trim() === ''
    if (!isShown) this.#cut(start, this.#text.length, masked)
    return isShown
  }

  /** @param isWhole it is terminated, or the text was cut off before its end */
  close(end: number, isWhole = true): void {
    const frame = this.#frames.pop()
    if (!frame) return
    const parent = this.#frames.at(-1)
    const { name, start, isHidden, isNamed, namesSecret, isArray, items, values, text } = frame
    if (isHidden && !parent?.isHidden) this.#cut(start, end, masked)
    if (isHidden) return
    if (namesSecret && (!isArray || items === 2)) for (const value of values) this.#cut(value.start, value.end, masked)
    if (isNamed && isWhole) this.#cut(start, end, masked)
    if (!parent) return
    parent.items += 1
    parent.text = undefined
    if (text !== undefined && nameLike.test(name) && isNameOfSecret(text, this.#rules.isSecret))
      parent.namesSecret = true
    else if (valueLike.test(name)) parent.values.push({ start, end })
  }

  finish(): string {
    const cuts = this.#cuts.sort((one, other) => one.start - other.start || other.end - one.end)
    const parts: string[] = []
    let done = 0
    for (const { start, end, by } of cuts) {
      if (start < done) continue // nested in the previous one
      parts.push(this.#text.slice(done, start), by)
      done = end
    }
    parts.push(this.#text.slice(done))
    return parts.join('')
  }

  #show(shown: string, value: string, { start, end, encode }: Place): void {
    if (shown === value) return
    this.#cut(start, end, shown === masked ? masked : encode(shown))
  }

  #cut(start: number, end: number, by: string): void {
    if (end > start && this.#text.slice(start, Math.min(end, start + 200)).trim() !== '')
      this.#cuts.push({ start, end, by })
  }
}

const longestName = 60
export const nameLike = /(?:name|key|field|param|parameter|property|attribute|header|label|variable|option|id)\d*$/i
export const valueLike = /val|text|content|data|default|string/i

/** Of a row: `password` in `<key>password</key><value>…</value>`. */
export function isNameOfSecret(value: string, isSecret: (name: string) => boolean): boolean {
  return value.length <= longestName && /^\s*[\w.[\]-]+\s*$/.test(value) && isSecret(value.trim())
}

export function maskStructures(text: string, rules: MaskingRules): string {
  const mask = new Mask(text, rules)
  let at = 0
  begin.lastIndex = 0
  for (let found = begin.exec(text); found; found = begin.exec(text)) {
    if (!mask.prose(at, found.index)) return mask.finish()
    at = found[0].startsWith('<') ? skipXml(text, found.index, mask) : skipJson(text, found.index, mask)
    begin.lastIndex = at
  }
  mask.prose(at, text.length)
  return mask.finish()
}

/** Of an object, an array or a tag; not every bracket of a sentence. */
const begin =
  /\{(?=\s{0,200}(?:["'}]|\/[*/]|[\w$.-]{1,200}\s{0,20}[:=]))|\[(?=\s{0,200}(?:[\]["'{\d-]|true|false|null))|<(?=[^\s<>/="'&\d])/g
