/**
 * Which bodies pass (specification 44.4): one XML document in an encoding whose markup is ASCII. The original reads
 * parameters from MIME parts and from an `IBRequest`, and resolves what a DOCTYPE names.
 */
import type { Call } from '../../model/call.ts'
import { refused } from './parameters.ts'

/** A body without a type is read as XML too. */
const mediaTypes = /^(?:|text\/xml|application\/xml|application\/soap\+xml|text\/plain)$/i
/** All begin a document with the same bytes. */
const charsets = /^(?:utf-8|us-ascii|iso-8859-1)$/i
/** Bytes before the root element. */
const maxProlog = 8 * 1024

/** @throws Refusal listenerRefused */
export function checkType(headers: Call['headers']): void {
  const { 'content-encoding': encoding = 'identity', 'content-type': stated = '' } = headers
  if (String(encoding).toLowerCase() !== 'identity') throw refused('has a body with a content encoding')
  const [type = ''] = String(stated).split(';', 1)
  if (!mediaTypes.test(type.trim())) throw refused(`has a body of the type ${JSON.stringify(type.slice(0, 100))}`)
  for (const [, charset = ''] of String(stated).matchAll(/;\s*(?:charset|encoding)\s*=\s*"?([^\s;"]*)/gi))
    requireCharset(charset)
}

function requireCharset(charset: string): void {
  if (!charsets.test(charset)) throw refused(`has a body in the charset ${JSON.stringify(charset.slice(0, 40))}`)
}

/** @returns whether it ends before its root element. @throws Refusal listenerRefused */
export function checkDocument(beginning: Buffer, isWhole: boolean): boolean {
  const text = beginning.toString('latin1', 0, maxProlog)
  const root = findRoot(text)
  if (root === undefined) {
    if (isWhole || text.length === maxProlog) throw refused('has a body that is no XML document')
    return true
  }
  const [, encoding] = /^(?:\xef\xbb\xbf)?<\?xml\s[^>]*?\bencoding\s*=\s*["']([^"']*)["']/.exec(text) ?? []
  if (encoding !== undefined) requireCharset(encoding)
  if (/^(?:.*:)?IB(?:Request|Info)$/i.test(root)) throw refused(`has a body with the root element ${root}`)
  return false
}

/** The name of the root element; undefined if the text ends before it. */
function findRoot(text: string): string | undefined {
  let at = text.startsWith('\xef\xbb\xbf') ? 3 : 0
  for (;;) {
    while (/\s/.test(text.charAt(at))) at++
    const rest = text.slice(at, at + 2)
    const end = rest === '<?' ? '?>' : rest === '<!' ? '-->' : undefined
    if (end === undefined) break
    if (rest === '<!' && !'<!--'.startsWith(text.slice(at, at + 4))) throw refused('has a body with a DOCTYPE')
    const found = text.indexOf(end, at + (rest === '<?' ? 2 : 4))
    if (found < 0) return undefined
    at = found + end.length
  }
  const [, name] = /^<([A-Za-z_][\w.:-]*)[\s/>]/.exec(text.slice(at, at + 300)) ?? []
  if (name === undefined && text.length - at >= 300) throw refused('has a body that is no XML document')
  if (name === undefined && !/^(?:<(?:[A-Za-z_][\w.:-]*)?)?$/.test(text.slice(at)))
    throw refused('has a body that is no XML document')
  return name
}

/** For GET. */
export function refuseBody(beginning: Buffer): boolean {
  if (beginning.length > 0) throw refused('has a body')
  return false
}
