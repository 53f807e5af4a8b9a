/**
 * Masks recorded bodies and values of URLs: credentials as in the logs, and unless values are kept each value by a
 * pseudonym of its shape. Names, types, lengths and order stay (specification 38.4).
 */
import { isUtf8 } from 'node:buffer'
import { isSecretParameter } from '../../model/secret-name.ts'
import { type MaskingRules, masked, maskStructures } from '../../observe/masking/mask-structures.ts'
import { redactText } from '../../observe/masking/redact.ts'
import type { Pseudonyms } from './pseudonyms.ts'

export interface Masking {
  /** False: only credentials, and the values of names that `isNamed`, are masked. */
  readonly isFull: boolean
  readonly isNamed: (name: string) => boolean
  readonly pseudonyms: Pseudonyms
}

/** @returns undefined if the body must be left out: it is no text, or its encoding is not a superset of ASCII */
export function maskBody(bytes: Buffer, contentType: string, masking: Masking): Buffer | undefined {
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase()
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1'
  if (!isText(type)) {
    if (masking.isFull) return undefined
    if (encoding === 'latin1' || bytes.includes(0)) return bytes
  }
  if (bytes.includes(0)) return undefined
  const text = bytes.toString(encoding)
  const safe = maskText(type, text, masking)
  return safe === text ? bytes : Buffer.from(safe, encoding)
}

function isText(type: string): boolean {
  return type === '' || /^text\/|[/+](?:json|xml|x?html)$|\/x-www-form-urlencoded$|^application\/javascript$/.test(type)
}

function maskText(type: string, text: string, masking: Masking): string {
  const rules = rulesOf(masking)
  if (/[/+](?:x?html|xml)$/.test(type)) return maskStructures(masking.isFull ? text.replace(remark, '') : text, rules)
  const [, mark = '', json = ''] = /^(\ufeff?)(.*)$/s.exec(text) ?? []
  if (!/[/+]json$/.test(type) || !isJson(json)) return maskWords(text, masking)
  return mark + maskStructures(`[${json}]`, rules).slice(1, -1) // a text or a number alone is JSON, too
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Comments, declarations and processing instructions of XML. */
const remark =
  /<!--[\s\S]*?(?:-->|$)|<\?(?!xml\s)[\s\S]*?(?:\?>|$)|<!(?!\[CDATA\[)[^[>]*(?:\[[\s\S]*?(?:\]\s*>|$)|>|$)/g

function rulesOf(masking: Masking): MaskingRules {
  const { isFull, isNamed, pseudonyms } = masking
  const replace = (value: string, isBare: boolean) =>
    isBare ? replaceBare(value, pseudonyms) : trimmed(value, pseudonyms)
  return {
    isSecret: (name) => isSecretParameter(name) || isNamed(localName(name)),
    hide(secret, value, isBare) {
      if (!isSecretParameter(secret)) return replace(value, isBare)
      return isBare ? value.replace(/^-?\d.*/, '0') : value && masked
    },
    show: (name, value, isBare) => (isFull && !isOfSchema.test(name) ? replace(value, isBare) : redactText(value)),
    showRemark: redactText,
    showProse: (text) => maskWords(text, masking),
    showName: (name) => (isFull && isValue.test(name) ? pseudonyms.of(name) : redactText(name)),
  }
}

const isOfSchema = /^xmlns(?::|$)|^xml:|^xsi:/
/** An address or a number where a name should be: `{ "kim@example.com": … }`. */
const isValue = /@|\d{4}/

/** Of JSON: `true`, `false` and `null` stay, and so does the form of a number. */
function replaceBare(value: string, pseudonyms: Pseudonyms): string {
  return value.replace(/^(-?)(\d[\d.]*)/, (_, sign, digits) => sign + pseudonyms.of(digits))
}

function trimmed(value: string, pseudonyms: Pseudonyms): string {
  const core = value.trim()
  return value.replace(core, () => pseudonyms.of(core))
}

/** Masks a value of a URL. */
export function maskValue(value: string, name: string, { isFull, isNamed, pseudonyms }: Masking): string {
  if (isSecretParameter(name)) return value && masked
  return isFull || isNamed(name) ? trimmed(value, pseudonyms) : redactText(value)
}

function localName(name: string): string {
  return name.replace(/^.*:/, '')
}

/** Masks a text without structure. */
function maskWords(text: string, { isFull, pseudonyms }: Masking): string {
  const parts = redactText(text).split(masked)
  if (!isFull) return parts.join(masked)
  return parts.map((part) => part.replace(/[^\s,;:|=&"'<>()[\]{}*]+/g, (word) => pseudonyms.of(word))).join(masked)
}
