/** Who is at the other end of a connection, and whether its word about a call counts (specification 28.1, 28.15). */
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { type Arrival, readArrival, type TrustedProxies } from '../model/arrival.ts'
import { type CertificateSource, dropCertificate, readOfConnection, readOfProxy } from './client-certificate.ts'
import type { Request } from './head.ts'

export class Peer {
  readonly arrival: Arrival
  readonly certificate: CertificateSource
  /** Another process can go on with the connection: nothing of TLS, or of the PROXY protocol, would be lost. */
  readonly isPortable: boolean
  /** Undefined where its word does not count. */
  readonly #proxies: TrustedProxies | undefined

  /** @param stated by the PROXY protocol */
  constructor(socket: Socket, proxies: TrustedProxies | undefined, stated: Arrival | undefined) {
    const isSecure = socket instanceof TLSSocket
    this.arrival = stated ?? { remoteAddress: socket.remoteAddress ?? '', isSecure }
    this.isPortable = !isSecure && !stated
    this.#proxies = proxies?.list.includes(this.arrival.remoteAddress) ? proxies : undefined
    this.certificate = this.#proxies ? readOfProxy : readOfConnection
  }

  /** How a request came. In its headers is then what the caller asked for, and nothing that only a proxy may write. */
  receive({ headers }: Request): Arrival {
    if (!this.#proxies) {
      dropCertificate(headers)
      return this.arrival
    }
    const arrival = readArrival(headers, this.arrival, this.#proxies)
    if (arrival.host !== undefined) headers.host = arrival.host
    return arrival
  }
}
