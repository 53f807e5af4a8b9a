/** The client's certificate: of the gateway's own TLS, or as a trusted proxy states it (specification 28.14, 28.15). */
import { X509Certificate } from 'node:crypto'
import { TLSSocket } from 'node:tls'
import { type ClientCertificate, describeCertificate } from '../model/certificate.ts'
import type { Headers } from './fields.ts'
import type { Request } from './head.ts'

/** @returns why there is none, for the log */
export type CertificateSource = (request: Request) => ClientCertificate | string

const ofConnections = new WeakMap<TLSSocket, ClientCertificate | string>()

export const readOfConnection: CertificateSource = ({ socket }) => {
  if (!(socket instanceof TLSSocket)) return 'the call came without TLS'
  const known = ofConnections.get(socket) ?? findOfConnection(socket)
  ofConnections.set(socket, known)
  return known
}

function findOfConnection(socket: TLSSocket): ClientCertificate | string {
  const certificate = socket.getPeerX509Certificate()
  if (!certificate) return 'the client sent no certificate'
  if (!socket.authorized) return `the client's certificate is not valid: ${socket.authorizationError}`
  return describeCertificate(certificate)
}

/** RFC 9440: the proxy has checked it. */
export const readOfProxy: CertificateSource = ({ headers }) => {
  const text = headers['client-cert']
  if (text === undefined) return 'the trusted proxy states no Client-Cert'
  const [, encoded] = /^:([A-Za-z\d+/]+={0,2}):$/.exec(String(text)) ?? []
  if (encoded === undefined) return 'Client-Cert is malformed'
  try {
    return describeCertificate(new X509Certificate(Buffer.from(encoded, 'base64')))
  } catch {
    return 'Client-Cert has no certificate'
  }
}

/** From anyone but a trusted proxy it is a forgery, which no one gets to see. */
export function dropCertificate(headers: Headers): void {
  if (headers['client-cert'] !== undefined) Reflect.deleteProperty(headers, 'client-cert')
  if (headers['client-cert-chain'] !== undefined) Reflect.deleteProperty(headers, 'client-cert-chain')
}
