/** Which headers are passed on, in both directions, and which are replaced (specification 36.4, 36.5). */

import type { Call } from '../../model/call.ts'
import type { Operation } from '../../model/operation.ts'
import { isReservedHeader } from '../../model/reserved-header.ts'
import { writeTraceHeaders } from '../../model/trace.ts'
import type { Transaction } from '../../model/transaction.ts'
import { modeOfScheme, modeRows, verificationOf } from '../../model/verification.ts'
import { type FlatHeaders, findHeader, readConnectionNames } from '../../steps/handler/upstream/flat-headers.ts'
import type { PassThrough } from './configuration.ts'

/** Sent to the other server, besides what the gateway writes itself and the operation names. */
const sent =
  /^(?:(?:content|if)-[a-z\d-]+|accept(?:-[a-z\d-]+)?|range|user-agent|soapaction|idempotency-key|languagecd|x-requested-with)$/
/** Returned from it. */
const returned =
  /^(?:content-[a-z\d-]+|cache-control|expires|etag|last-modified|accept-ranges|vary|location|retry-after|allow|link|www-authenticate|deprecation|sunset)$/

/** Before the names of cookies that clients keep for the other server. */
export const cookiePrefix = 'ORIGINAL_'
/** A cookie that says who the caller is, and that nothing here has checked. Some servers begin one after a space or a comma. */
const identifying = new RegExp(modeRows.flatMap(({ cookie = [] }) => cookie).join('|'), 'i')

export interface ForwardedCall {
  readonly call: Pick<Call, 'headers' | 'remoteAddress' | 'isSecure'>
  readonly operation: Pick<Operation, 'verification'>
  readonly transaction: Pick<Transaction, 'id' | 'ecid' | 'parent' | 'trace'>
  readonly how: Pick<PassThrough, 'credentials' | 'cookies'> & {
    /** Names in lower case → names as the configuration writes them, which are sent. */
    readonly requestHeaders: ReadonlyMap<string, string>
  }
  /** The value of Authorization, for `credentials: 'service'`. */
  readonly service: string | undefined
}

/** Told each name that is left out: `request x-custom`. */
export type LeaveOut = (header: string) => void

export function writeRequestHeaders(forwarded: ForwardedCall, leaveOut: LeaveOut): string[] {
  const { call, transaction, how } = forwarded
  const named = readConnectionNames(call.headers.connection)
  const headers: string[] = []
  for (const name in call.headers) {
    const value = call.headers[name]
    if (value === undefined || named?.has(name) || isReservedHeader(name)) continue
    const stated = how.requestHeaders.get(name)
    if (stated === undefined && !sent.test(name)) leaveOut(`request ${name}`)
    else for (const each of [value].flat()) headers.push(stated ?? name, each)
  }
  addCredentials(headers, forwarded)
  addCaller(headers, call)
  const trace = writeTraceHeaders(transaction)
  for (const name in trace) headers.push(name, trace[name] ?? '')
  headers.push('ig-transaction-id', transaction.id)
  return headers
}

/** @param headers names in lower case */
export function writeResponseHeaders(
  headers: FlatHeaders,
  { cookies, responseHeaders }: Pick<PassThrough, 'cookies' | 'responseHeaders'>,
  leaveOut: LeaveOut,
): string[] {
  const named = readConnectionNames(findHeader(headers, 'connection'))
  const flat: string[] = []
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? ''
    const value = headers[at + 1] ?? ''
    if (name === 'set-cookie' && cookies === 'rename') addCookie(flat, value)
    else if (named?.has(name) || isReservedHeader(name)) continue
    else if (returned.test(name) || responseHeaders?.includes(name)) flat.push(name, value)
    else leaveOut(`response ${name}`)
  }
  return flat
}

function addCredentials(headers: string[], { call, operation, how, service }: ForwardedCall): void {
  const cookies = how.cookies === 'rename' ? readOriginalCookies(call.headers.cookie) : []
  if (how.credentials === 'service' && service !== undefined) headers.push('authorization', service)
  if (how.credentials === 'caller') {
    // What the verification reads: nothing else is known to be the caller's
    for (const mode of verificationOf(operation.verification).takes) {
      const { header = '', scheme, cookie } = verificationOf(mode)
      const value = call.headers[header]
      const isChecked = typeof value === 'string' && (scheme === undefined || modeOfScheme(value) === mode)
      if (isChecked) headers.push(header, value)
      else if (cookie)
        cookies.push(...splitCookies(call.headers.cookie).filter((pair) => pair.startsWith(`${cookie}=`)))
    }
  }
  if (cookies.length > 0) headers.push('cookie', cookies.join('; '))
}

function splitCookies(cookie: string | string[] | undefined): string[] {
  return typeof cookie === 'string' ? cookie.split(';').map((pair) => pair.trim()) : []
}

function readOriginalCookies(cookie: string | string[] | undefined): string[] {
  return splitCookies(cookie)
    .filter((pair) => pair.startsWith(cookiePrefix))
    .map((pair) => pair.slice(cookiePrefix.length))
    .filter((pair) => !identifying.test(pair))
}

/** Without a domain, which is the other server's. */
function addCookie(flat: string[], cookie: string): void {
  const [pair = '', ...attributes] = cookie.split(';')
  if (identifying.test(pair)) return
  const kept = attributes.filter((attribute) => !/^\s*domain\s*=/i.test(attribute))
  flat.push('set-cookie', [`${cookiePrefix}${pair.trim()}`, ...kept].join(';'))
}

/** The caller's address, for the other server: only this gateway writes it. */
function addCaller(headers: string[], { headers: { host }, remoteAddress, isSecure }: ForwardedCall['call']): void {
  const proto = isSecure ? 'https' : 'http'
  const node = remoteAddress.includes(':') ? `"[${remoteAddress}]"` : remoteAddress
  headers.push('x-forwarded-for', remoteAddress, 'x-forwarded-proto', proto)
  if (typeof host === 'string') headers.push('x-forwarded-host', host)
  headers.push('forwarded', `for=${node};proto=${proto}${typeof host === 'string' ? `;host="${host}"` : ''}`)
}
