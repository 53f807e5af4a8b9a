/**
 * The peer of a connection, and whether its forwarding headers are trusted (specification 28.1): the address of the
 * caller, and the client's certificate, of the gateway's own TLS or as a trusted proxy states it (28.14, 28.15).
 */
import { X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import { isLoopback } from '../base/loopback.ts'
import { isEncrypted } from '../base/node-tls.ts'
import { type Arrival, addressOf, findTrusted, readArrival, type TrustedProxies } from '../model/arrival.ts'
import { type ClientCertificate, describeCertificate } from '../model/certificate.ts'
import type { ClientAuthorities } from '../tls/client-authorities.ts'
import type { Headers } from './fields.ts'
import type { Request } from './head.ts'

export class Peer {
  readonly arrival: Arrival
  /** Another process can continue the connection: it has no state of TLS or of the PROXY protocol. */
  readonly isPortable: boolean
  readonly #socket: Socket
  /** Undefined if the peer is not a trusted proxy. */
  readonly #proxies: TrustedProxies | undefined
  /** Undefined if its `Client-Cert` is not read. */
  readonly #authorities: ClientAuthorities | undefined
  #certificate: ClientCertificate | string | undefined

  /**
   * @param authorities for certificates that a trusted proxy states; undefined: none is read
   * @param stated by the PROXY protocol
   */
  constructor(
    socket: Socket,
    proxies: TrustedProxies | undefined,
    authorities: ClientAuthorities | undefined,
    stated: Arrival | undefined,
  ) {
    const isSecure = isEncrypted(socket)
    this.arrival = stated ?? { remoteAddress: addressOf(socket), isSecure }
    this.isPortable = !isSecure && !stated
    this.#socket = socket
    this.#proxies = findTrusted(this.arrival, proxies)
    const isPrivate = isSecure || isLoopback(this.arrival.remoteAddress)
    this.#authorities = this.#proxies && isPrivate ? authorities : undefined
  }

  /** Address and scheme of a request. Sets `host` to the one that the caller used, removes a `client-cert` that is not read. */
  receive({ headers }: Request): Arrival {
    if (!this.#authorities) dropCertificate(headers)
    if (!this.#proxies) return this.arrival
    const arrival = readArrival(headers, this.arrival, this.#proxies)
    if (arrival.host !== undefined) headers.host = arrival.host
    return arrival
  }

  /** @returns why there is none, for the log */
  readCertificate({ headers }: Request): ClientCertificate | string {
    if (this.#authorities) return readStated(headers, this.#authorities)
    if (this.#proxies) return 'Client-Cert is not read (ig.proxy.clientCertificates, over TLS or loopback)'
    this.#certificate ??= readOwn(this.#socket)
    return this.#certificate
  }
}

function readOwn(socket: Socket): ClientCertificate | string {
  if (!isEncrypted(socket)) return 'the call came without TLS'
  const certificate = socket.getPeerX509Certificate()
  if (!certificate) return 'the client sent no certificate'
  if (!socket.authorized) return `the client's certificate is not valid: ${socket.authorizationError}`
  return describeCertificate(certificate)
}

/** RFC 9440. A proxy may pass on what it does not overwrite, so the certificate is verified here too. */
function readStated(headers: Headers, authorities: ClientAuthorities): ClientCertificate | string {
  const text = headers['client-cert']
  if (text === undefined) return 'the trusted proxy states no Client-Cert'
  const [, encoded] = /^:([A-Za-z\d+/]+={0,2}):$/.exec(String(text)) ?? []
  if (encoded === undefined) return 'Client-Cert is malformed'
  let certificate: X509Certificate
  try {
    certificate = new X509Certificate(Buffer.from(encoded, 'base64'))
  } catch {
    return 'Client-Cert has no certificate'
  }
  return authorities.findProblem(certificate) ?? describeCertificate(certificate)
}

/** Handlers and logs must not see a forged one. */
function dropCertificate(headers: Headers): void {
  if (headers['client-cert'] !== undefined) Reflect.deleteProperty(headers, 'client-cert')
  if (headers['client-cert-chain'] !== undefined) Reflect.deleteProperty(headers, 'client-cert-chain')
}
