/** Which headers are passed on, in both directions, and which are replaced (specification 36.4, 36.5). */

import type { Call } from '../../../model/call.ts'
import type { PassThrough } from '../../../model/configuration/pass-through-schema.ts'
import type { Operation } from '../../../model/operation.ts'
import type { Verification } from '../../../model/operation-terms.ts'
import { isSecretHeader } from '../../../model/secret-name.ts'
import { writeTraceHeaders } from '../../../model/trace.ts'
import type { Transaction } from '../../../model/transaction.ts'

/** Flat: name, value… */
export type FlatHeaders = readonly string[]

/** Of one connection: the next has its own (RFC 9110, 7.6.1). */
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]
const framing = ['content-length', 'host', 'expect', 'date']
/** What a gateway states of the caller, and no caller does. */
const stated = ['forwarded', 'via', 'client-cert', 'client-cert-chain', 'traceparent', 'tracestate', 'x-real-ip']
/** By which some servers replace the method or the URL that was permitted. */
const overrides = ['x-http-method-override', 'x-http-method', 'x-method-override', 'x-original-url', 'x-rewrite-url']
/** A program behind CGI takes it for the address of its proxy. */
const misread = ['proxy']
/** Besides all names that look like those of secrets. */
const credentials = ['authorization', 'cookie', 'ps-token']
const notSent = new Set([...hopByHop, ...framing, ...stated, ...overrides, ...misread, ...credentials])
/** `alt-svc` would lead clients past the gateway. */
const notReturned = new Set([...hopByHop, ...framing, 'set-cookie', 'alt-svc'])

/** Before the names of cookies that clients keep for the other server. */
export const cookiePrefix = 'ORIGINAL_'
/** A cookie that says who the caller is, and that nothing here has checked. Some servers begin one after a space or a comma. */
const identifying = /PS_TOKEN/i

/** What the verification reads, if a call has it: nothing else is known to be the caller's. */
const checked: Readonly<Record<Verification, 'authorization' | 'ps_token' | undefined>> = {
  NONE: 'authorization',
  SSL: 'authorization',
  Basic: 'authorization',
  BasicSSL: 'authorization',
  OAuth2: 'authorization',
  OAuth2SSL: 'authorization',
  Token: 'ps_token',
  TokenSSL: 'ps_token',
  Certificate: undefined,
}

export interface Forwarded {
  readonly call: Pick<Call, 'headers' | 'remoteAddress' | 'isSecure'>
  readonly operation: Pick<Operation, 'verification'>
  readonly transaction: Pick<Transaction, 'id' | 'ecid' | 'parent' | 'trace'>
  readonly platformName: string
  readonly how: Pick<PassThrough, 'credentials' | 'cookies'>
  /** The value of Authorization, for `credentials: 'service'`. */
  readonly service: string | undefined
}

export function writeRequestHeaders(forwarded: Forwarded): string[] {
  const { call, transaction, platformName } = forwarded
  const named = readNames(call.headers.connection)
  const headers: string[] = []
  for (const name in call.headers) {
    const value = call.headers[name]
    if (value === undefined || named?.has(name) || !isSent(name, platformName)) continue
    if (typeof value === 'string') headers.push(name, value)
    else for (const each of value) headers.push(name, each)
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
  platformName: string,
  { cookies }: Pick<PassThrough, 'cookies'>,
): string[] {
  const named = readNames(findHeader(headers, 'connection'))
  const flat: string[] = []
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? ''
    const value = headers[at + 1] ?? ''
    if (name === 'set-cookie' && cookies === 'rename') addCookie(flat, value)
    else if (!notReturned.has(name) && !isOwn(name, platformName) && !named?.has(name)) flat.push(name, value)
  }
  return flat
}

/** All of its values. */
export function findHeader(headers: FlatHeaders, wanted: string): string | undefined {
  let found: string | undefined
  for (let at = 0; at < headers.length; at += 2)
    if (headers[at] === wanted) found = found === undefined ? headers[at + 1] : `${found}, ${headers[at + 1]}`
  return found
}

/** Names of callers: bounded. */
const known = new Map<string, boolean>()
const mostKnown = 1000

function isSent(name: string, platformName: string): boolean {
  const remembered = known.get(name)
  if (remembered !== undefined) return remembered
  const read = name.replaceAll('_', '-') // as programs behind many servers do
  const isStated = notSent.has(read) || read.startsWith('x-forwarded-') || isOwn(read, platformName)
  const isPlain = !isStated && !isSecretHeader(name)
  // An Idempotency-Key is a secret in logs, and no credential
  const result = isPlain || name === 'idempotency-key'
  if (known.size < mostKnown) known.set(name, result)
  return result
}

/** Ours to set. */
function isOwn(name: string, platformName: string): boolean {
  return name.startsWith('ig-') || name.startsWith(`x-${platformName}-dms-`)
}

function readNames(connection: string | string[] | undefined): ReadonlySet<string> | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined
  return new Set(
    String(connection)
      .toLowerCase()
      .split(/[\s,]+/),
  )
}

function addCredentials(headers: string[], { call, operation, how, service }: Forwarded): void {
  const cookies = how.cookies === 'rename' ? readOriginalCookies(call.headers.cookie) : []
  if (how.credentials === 'service' && service !== undefined) headers.push('authorization', service)
  if (how.credentials === 'caller') {
    const name = checked[operation.verification]
    const { authorization, ps_token: token, cookie } = call.headers
    if (name === 'authorization' && isChecked(authorization)) headers.push('authorization', authorization)
    if (name === 'ps_token' && typeof token === 'string') headers.push('ps_token', token)
    else if (name === 'ps_token') cookies.push(...splitCookies(cookie).filter((pair) => pair.startsWith('PS_TOKEN=')))
  }
  if (cookies.length > 0) headers.push('cookie', cookies.join('; '))
}

/** A scheme that the gateway does not know is no credential to it. */
function isChecked(authorization: string | string[] | undefined): authorization is string {
  return typeof authorization === 'string' && /^(?:basic|bearer) /i.test(authorization)
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
function addCaller(headers: string[], { headers: { host }, remoteAddress, isSecure }: Forwarded['call']): void {
  const proto = isSecure ? 'https' : 'http'
  const node = remoteAddress.includes(':') ? `"[${remoteAddress}]"` : remoteAddress
  headers.push('x-forwarded-for', remoteAddress, 'x-forwarded-proto', proto)
  if (typeof host === 'string') headers.push('x-forwarded-host', host)
  headers.push('forwarded', `for=${node};proto=${proto}${typeof host === 'string' ? `;host="${host}"` : ''}`)
}
