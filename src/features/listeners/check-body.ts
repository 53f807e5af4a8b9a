/**
 * Which bodies pass (specification 44.4): one XML document in an encoding whose markup is ASCII. The original reads
 * parameters from MIME parts and from an `IBRequest`, and resolves what a DOCTYPE names.
 */
import type { Call } from '../../model/call.ts'
import { refused } from './parameters.ts'

/** A body without a type is read as XML too. */
const mediaTypes = /^(?:|text\/xml|application\/xml|application\/soap\+xml|text\/plain)$/i
/** In a form that every server reads alike: another one may find an `action` or a boundary in what is none here. */
const parameter = /^(charset|action)=("?)([^\s"'\\,()]*)\2$/i
/** All begin a document with the same bytes. */
const charsets = /^(?:utf-8|us-ascii|iso-8859-1)$/i
/** Bytes: the root element begins in them. */
const maxProlog = 8 * 1024

/** @throws Refusal listenerRefused */
export function checkType(headers: Call['headers']): void {
  const { 'content-encoding': encoding = 'identity', 'content-type': stated = '' } = headers
  if (String(encoding).toLowerCase() !== 'identity') throw refused('has a body with a content encoding')
  const [type = '', ...parameters] = String(stated)
    .split(';')
    .map((part) => part.trim())
  if (!mediaTypes.test(type)) throw refused(`has a body of the type ${JSON.stringify(type.slice(0, 100))}`)
  const seen = new Set<string>()
  for (const part of parameters.filter((each) => each !== '')) {
    const [, written = '', , value = ''] = parameter.exec(part) ?? []
    const name = written.toLowerCase()
    if (name === '') throw refused('has a content type with a parameter that is neither charset nor action')
    if (seen.has(name)) throw refused(`has a content type that states ${name} twice`)
    seen.add(name)
    if (name === 'charset') requireCharset(value)
  }
}

function requireCharset(charset: string): void {
  if (!charsets.test(charset)) throw refused(`has a body in the charset ${JSON.stringify(charset.slice(0, 40))}`)
}

/**
 * What may stand before the root element: a declaration, instructions, comments. XML 1.1 has more white space, which
 * ends a name, and no instruction but the declaration may begin with `xml`.
 */
const space = String.raw`[ \t\r\n]`
const attribute = (name: string, value: string) => `${space}+${name}${space}*=${space}*["']${value}["']`
const version = attribute('version', String.raw`1\.0`)
const encoding = attribute('encoding', String.raw`([\w.-]*)`)
const standalone = attribute('standalone', '(?:yes|no)')
const declaration = String.raw`<\?xml${version}(?:${encoding})?(?:${standalone})?${space}*\?>`
const instruction = String.raw`<\?(?![xX][mM][lL])(?:(?!\?>)[\s\S])*\?>`
const comment = String.raw`<!--(?:(?!--)[\s\S])*-->`
const name = String.raw`[^\0-\x20<>/!?"'=&.\d-][^\0-\x20<>/!?"'=&]*`
const byteOrderMark = String.raw`\xef\xbb\xbf`
const document = new RegExp(
  `^(?:${byteOrderMark})?(?:${declaration})?(?:${space}|${instruction}|${comment})*<(${name})[ \\t\\r\\n/>]`,
)

/** @returns whether it needs more of the body. @throws Refusal listenerRefused */
export function checkDocument(beginning: Buffer, isWhole: boolean): boolean {
  if (!isWhole && beginning.length < maxProlog) return true
  const [found, charset, root = ''] = document.exec(beginning.toString('latin1', 0, maxProlog)) ?? []
  if (found === undefined)
    throw refused(`has a body that is no XML 1.0, has a DOCTYPE, or has no root in its first ${maxProlog} bytes`)
  if (charset !== undefined) requireCharset(charset)
  if (/^(?:.*:)?IB(?:Request|Info)$/i.test(root)) throw refused(`has a body with the root element ${root}`)
  return false
}

/** For GET. */
export function refuseBody(beginning: Buffer): boolean {
  if (beginning.length > 0) throw refused('has a body')
  return false
}
