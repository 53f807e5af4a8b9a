/**
 * The peer of a connection, and whether its forwarding headers are trusted (specification 28.1): the address of the
 * caller, and the client's certificate, of the gateway's own TLS or as a trusted proxy states it (28.14, 28.15).
 */
import type { Socket } from 'node:net'
import { isLoopback } from '../base/loopback.ts'
import { isEncrypted } from '../base/node-tls.ts'
import { type Arrival, addressOf, findTrusted, readArrival, type TrustedProxies } from '../model/arrival.ts'
import type { ClientCertificate } from '../model/certificate.ts'
import { type ClientAuthorities, readTlsCertificate } from '../tls/client-certificate.ts'
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
   * @param statedArrival by the PROXY protocol
   */
  constructor(
    socket: Socket,
    proxies: TrustedProxies | undefined,
    authorities: ClientAuthorities | undefined,
    statedArrival: Arrival | undefined,
  ) {
    const isSecure = isEncrypted(socket)
    this.arrival = statedArrival ?? { remoteAddress: addressOf(socket), isSecure }
    this.isPortable = !isSecure && !statedArrival
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
    if (this.#authorities) return this.#authorities.readHeader(headers['client-cert']?.toString())
    if (this.#proxies) return 'Client-Cert is not read (ig.proxy.clientCertificates, over TLS or loopback)'
    this.#certificate ??= readTlsCertificate(this.#socket)
    return this.#certificate
  }
}

/** Handlers and logs must not see a forged one. */
function dropCertificate(headers: Headers): void {
  for (const name of ['client-cert', 'client-cert-chain'])
    if (headers[name] !== undefined) Reflect.deleteProperty(headers, name)
}
