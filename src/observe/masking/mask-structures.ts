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
  readonly show: (name: string, value: string, isBare: boolean) => string
  /** The same for a comment or a processing instruction. */
  readonly showRemark: (text: string) => string
  /** The same for text outside the structures; undefined to mask it and all that follows. */
  readonly showProse: (text: string) => string | undefined
  /** The same for the name of a member of JSON. */
  readonly showName?: (name: string) => string
  /** For each value within something secret, so that its structure stays. Without it all of it is `masked`. */
  readonly hide?: (secret: string, value: string, isBare: boolean) => string
}

/** A value, of which later ones may show that it is secret. */
interface Leaf extends Place {
  readonly name: string
  readonly value: string
  readonly secret: string | undefined
}

interface Frame {
  readonly name: string
  readonly start: number
  /** The name that makes all of it secret. */
  readonly secret: string | undefined
  readonly isArray: boolean
  /** The name of a secret that a child has as its value: `<key>password</key><value>…</value>`. */
  named: string | undefined
  /** An attribute has: `<field name="password">…</field>`. */
  isNamed: boolean
  /** Possible values of that name. */
  readonly values: { readonly start: number; readonly end: number }[]
  items: number
  /** The content of an element that has one short text. */
  text: string | undefined
}

/** The events of the readers. */
export class Mask implements Listener {
  readonly #text: string
  readonly #rules: MaskingRules
  readonly #frames: Frame[] = []
  readonly #cuts: { readonly start: number; readonly end: number; readonly by: string }[] = []
  readonly #leaves: Leaf[] = []
  readonly #secrets: { readonly start: number; readonly end: number; readonly secret: string }[] = []

  constructor(text: string, rules: MaskingRules) {
    this.#text = text
    this.#rules = rules
  }

  get depth(): number {
    return this.#frames.length
  }

  open(name: string, start: number, isArray = false): void {
    const secret = this.#frames.at(-1)?.secret ?? (this.#rules.isSecret(name) ? name : undefined)
    const frame = { name, start, secret, isArray, named: undefined, isNamed: false, values: [], items: 0 }
    this.#frames.push({ ...frame, text: undefined })
  }

  name(place: Place): void {
    const name = place.decode(this.#text.slice(place.start, place.end))
    this.#show(this.#rules.showName?.(name) ?? name, name, place)
  }

  /** A value with a name of its own. @param isAttribute of the open element */
  value(name: string, place: Place, isAttribute = false): void {
    const frame = this.#frames.at(-1)
    const value = place.decode(this.#text.slice(place.start, place.end))
    const around = frame?.secret
    if (frame && around === undefined) {
      const role = frame.isArray ? (frame.items === 0 ? 'key' : 'value') : name
      frame.items += 1
      if (nameLike.test(role) && isNameOfSecret(value, this.#rules.isSecret)) {
        frame.named = value.trim()
        frame.isNamed ||= isAttribute
      } else if (valueLike.test(role)) frame.values.push(place)
    }
    const secret = around ?? (this.#rules.isSecret(name) ? name : undefined)
    this.#leaf(name, value, place, secret, around === undefined)
  }

  /** A text of the open element. */
  text(place: Place): void {
    const frame = this.#frames.at(-1)
    if (!frame) return
    const value = place.decode(this.#text.slice(place.start, place.end))
    if (value.trim() === '') return
    frame.text = frame.items === 0 && value.length <= maxName ? value : undefined
    frame.items += 1
    this.#leaf(frame.name, value, place, frame.secret)
  }

  remark(start: number, end: number): void {
    const isSecret = this.#frames.at(-1)?.secret !== undefined
    if (isSecret && !this.#rules.hide) return
    const text = this.#text.slice(start, end)
    const shown = isSecret ? ' ' : this.#rules.showRemark(text)
    if (shown !== text) this.#cut(start, end, shown)
  }

  /** @returns whether it may be shown; text after it is no structure then */
  prose(start: number, end: number): boolean {
    const text = this.#text.slice(start, end)
    const shown = text.trim() === '' ? text : this.#rules.showProse(text)
    if (shown === undefined) this.#cut(start, this.#text.length, masked)
    else if (shown !== text) this.#cut(start, end, shown)
    return shown !== undefined
  }

  /** @param isWhole it is terminated, or the text was cut off before its end */
  close(end: number, isWhole = true): void {
    const frame = this.#frames.pop()
    if (!frame) return
    const parent = this.#frames.at(-1)
    const { name, start, secret, isNamed, named, isArray, items, values, text } = frame
    if (secret !== undefined && parent?.secret === undefined) this.#hide(start, end, secret)
    if (secret !== undefined) return
    if (named !== undefined && (!isArray || items === 2))
      for (const value of values) this.#hide(value.start, value.end, named)
    if (isNamed && isWhole) this.#hide(start, end, named ?? '')
    if (!parent) return
    parent.items += 1
    parent.text = undefined
    if (text !== undefined && nameLike.test(name) && isNameOfSecret(text, this.#rules.isSecret))
      parent.named = text.trim()
    else if (valueLike.test(name)) parent.values.push({ start, end })
  }

  finish(): string {
    this.#showLeaves()
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

  /** @param hasOwnName if it is secret, it is so by itself */
  #leaf(name: string, value: string, place: Place, secret: string | undefined, hasOwnName = false): void {
    if (this.#rules.hide) this.#leaves.push({ ...place, name, value, secret })
    else if (secret === undefined) this.#show(this.#rules.show(name, value, place.isBare === true), value, place)
    else if (hasOwnName) this.#show(masked, value, place)
  }

  #hide(start: number, end: number, secret: string): void {
    if (this.#rules.hide) this.#secrets.push({ start, end, secret })
    else this.#cut(start, end, masked)
  }

  /** Of overlapping secrets the one that begins first counts. */
  #showLeaves(): void {
    const secrets = this.#secrets.sort((one, other) => one.start - other.start || other.end - one.end)
    let at = 0
    for (const leaf of this.#leaves) {
      const { name, value, isBare = false, start } = leaf
      while (at < secrets.length && (secrets[at]?.end ?? 0) <= start) at += 1
      const around = secrets[at]
      const secret = leaf.secret ?? (around && around.start <= start ? around.secret : undefined)
      const shown =
        secret === undefined ? this.#rules.show(name, value, isBare) : this.#rules.hide?.(secret, value, isBare)
      this.#show(shown ?? masked, value, leaf)
    }
  }

  #show(shown: string, value: string, { start, end, encode }: Place): void {
    if (shown === value) return
    this.#cut(start, end, shown === masked && !this.#rules.hide ? masked : encode(shown))
  }

  #cut(start: number, end: number, by: string): void {
    if (end > start && this.#text.slice(start, Math.min(end, start + 200)).trim() !== '')
      this.#cuts.push({ start, end, by })
  }
}

const maxName = 60
export const nameLike = /(?:name|key|field|param|parameter|property|attribute|header|label|variable|option|id)\d*$/i
export const valueLike = /val|text|content|data|default|string/i

/** Whether the value names a secret, as `password` in `<key>password</key><value>…</value>`. */
export function isNameOfSecret(value: string, isSecret: (name: string) => boolean): boolean {
  return value.length <= maxName && /^\s*[\w.[\]-]+\s*$/.test(value) && isSecret(value.trim())
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

/** The beginning of an object, an array or a tag, but not every bracket of a sentence. */
const begin =
  /\{(?=\s{0,200}(?:["'}]|\/[*/]|[\w$.-]{1,200}\s{0,20}[:=]))|\[(?=\s{0,200}(?:[\]["'{\d-]|true|false|null))|<(?=[^\s<>/="'&\d])/g
