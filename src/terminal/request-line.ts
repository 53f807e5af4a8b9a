/** A request from the command line, as a call of the pipeline: `GET /ECHO.v1/echo/x` (specification 15.1). */

import { readAddress } from '../base/address-list.ts'
import { holdBody } from '../explain/hold-body.ts'
import { findArrival, type TrustedProxies } from '../model/arrival.ts'
import type { Call } from '../model/call.ts'
import { methods } from '../model/operation-terms.ts'
import { Failure } from './explain-failure.ts'
import { show, warn } from './print.ts'

export interface RequestOptions {
  readonly header?: readonly string[]
  readonly tls?: boolean
  /** The address of the connection. */
  readonly from?: string
}

export interface Place {
  readonly gatewayPath: string
  /** The default local node: the parent of a path that begins with an operation. */
  readonly node: string
  /** Maximum size of a body, as over HTTP. */
  readonly maxBodyBytes: number
  readonly proxies: TrustedProxies | undefined
  /** `ig.compat.rawUrlBytes` */
  readonly rawUrlBytes: boolean
}

/** @param path `/ECHO.v1/echo/x`, or complete: `/PSIGW/RESTListeningConnector/LOCAL_NODE/ECHO.v1/echo/x` */
export function makeCall(
  method: string,
  path: string,
  place: Place,
  { header = [], tls = false, from = '127.0.0.1' }: RequestOptions,
  body: Buffer = Buffer.alloc(0),
): Call {
  const headers: Record<string, string> = { host: 'localhost' }
  for (const text of header) {
    const [name, value] = parseHeader(text)
    headers[name] = headers[name] === undefined || name === 'host' ? value : `${headers[name]}, ${value}`
  }
  if (body.length > 0) headers['content-length'] = String(body.length)
  const { host, ...arrival } = findArrival(
    headers,
    { remoteAddress: requireAddress(from), isSecure: tls },
    place.proxies,
  )
  return {
    method: requireMethod(method),
    target: writeTarget(path, place),
    headers: { ...headers, ...(host !== undefined && { host }) },
    ...arrival,
    signal: new AbortController().signal,
    readBody: (limit = Infinity) =>
      holdBody(body, Math.min(limit, place.maxBodyBytes), Number(headers['content-length'] ?? 0)),
  }
}

function requireAddress(text: string): string {
  const address = readAddress(text)
  if (address !== undefined) return address
  throw new Failure(`${show(text)} is not an address. Write it as: 192.0.2.7`)
}

function requireMethod(text: string): string {
  const method = text.toUpperCase()
  if (method === 'OPTIONS' || methods.some((known) => known === method)) return method
  throw new Failure(`${show(text)} is not a method. Write the request as: GET /ECHO.v1/echo/x`)
}

/** Encodes characters that a URL cannot contain, as clients do. */
function writeTarget(path: string, { gatewayPath, node, rawUrlBytes }: Place): string {
  const encoded = path.toWellFormed().replace(/[^\x21-\x7e]/gu, encodeURIComponent)
  if (/\P{ASCII}/u.test(path) && !rawUrlBytes)
    warn(`The URL is sent as ${show(encoded)}. Raw bytes would be refused without ig.compat.rawUrlBytes=true.`)
  if (/^https?:\/\//i.test(encoded)) return encoded
  const rooted = encoded.startsWith('/') ? encoded : `/${encoded}`
  if (rooted.startsWith(`/${gatewayPath}/`) || isComplete.test(rooted)) return rooted
  return `/${gatewayPath}/RESTListeningConnector/${node}${rooted}`
}

/** Complete too: a URL whose gateway path is missing, or is another one. Its refusal says so. */
const isComplete = /^\/(?:(?:healthz|readyz)(?:\?|$)|(?:[^/?.]*\/)*RESTListeningConnector(?:\/|$))/i

function parseHeader(text: string): readonly [name: string, value: string] {
  const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/.exec(text) ?? []
  if (name === undefined || value === undefined)
    throw new Failure(`${show(text)} is not a header. Write it as: 'Accept: text/xml'`)
  return [name.toLowerCase(), value.trimEnd()]
}
