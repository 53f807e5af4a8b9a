/** The listening plane: sockets, plain and with TLS, around the pipeline (specification 7). */
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { formatAddress } from '../base/host.ts'
import { type ConnectionLimit, limitConnections } from '../base/limit-connections.ts'
import { isEncrypted, nodeTls } from '../base/node-tls.ts'
import type { Arrival } from '../model/arrival.ts'
import type { Call, Reply } from '../model/call.ts'
import { unboundedMemory } from '../model/memory-budget.ts'
import type { Settings } from '../settings.ts'
import { followCertificate, readCertificate } from '../tls/certificate.ts'
import { openClientAuthorities } from '../tls/client-certificate.ts'
import { Connection } from './connection.ts'
import { drainListeners, type OpenSockets, returnConnections } from './drain.ts'
import { type Edge, type EdgeGateway, observeRarely, observeSafely } from './edge.ts'
import type { ConnectionSource, TakeOver } from './hand-over.ts'
import { openProxyEntrance, type ProxyEntrance } from './proxy-protocol.ts'
import { Clock } from './timeouts.ts'
import { noteNewConnection } from './turn.ts'

export interface OpenServerOptions<Gateway extends EdgeGateway> {
  readonly gateway: Gateway
  readonly settings: Settings
  readonly answer: (call: Call, gateway: Gateway) => Promise<Reply>
  /** Used instead of listening on ports. */
  readonly source?: ConnectionSource | undefined
  /** Other processes listen on the same port, and the system distributes connections (specification 17.1). */
  readonly sharesPort?: boolean | undefined
  /** Takes over the sockets of the previous process instead of opening new ones. */
  readonly takeOver?: TakeOver | undefined
}

export interface OpenServer {
  /** The TLS URL if there is no plain listener. */
  readonly url: string
  readonly tlsUrl: string | undefined
  /** Open connections and calls, counted on request. */
  count(): { readonly connections: number; readonly calls: number }
  /** Why new connections are refused at present; undefined if they are not. */
  trouble(): string | undefined
  /** For the next process; the TLS listener is the last. */
  readonly listeners: readonly Server[]
  /** Accepts no new connections, lets running calls finish within the grace time, then aborts them. */
  close(): Promise<void>
}

/** Connections that wait to be accepted: Node's default of 511 fills in a third of a second. The system may limit it. */
const backlog = 4096

/** Bytes of the memory budget for each connection. TLS alone takes 60 KB; small bodies, trees and replies are not counted separately. */
const connectionCost = 64 * 1024

/** Rejects with the system's error (`code`, `port`) if it cannot listen. */
export async function openServer<Gateway extends EdgeGateway>(
  options: OpenServerOptions<Gateway>,
): Promise<OpenServer> {
  const { gateway, settings, answer, source, sharesPort = false, takeOver } = options
  const connections = new Map<Socket, Connection>()
  const { host, port, limits, proxies } = settings
  let limit: ConnectionLimit | undefined
  const clock = new Clock(() => {
    for (const connection of connections.values()) connection.checkTime()
    limit?.poll()
  }, limits)
  const edge: Edge = {
    gateway,
    limits,
    memory: gateway.memory ?? unboundedMemory,
    answer: (call) => answer(call, gateway),
    clock,
    authorities: openClientAuthorities(proxies?.clientCa),
    isStopping: false,
    closesIdle: false,
  }
  const proxyEntrance = proxies?.protocol ? openProxyEntrance(proxies, gateway) : undefined
  const open: OpenSockets = { edge, connections, sockets: new Set() }

  const plain = port === undefined ? undefined : createServer({ allowHalfOpen: true, noDelay: true })
  plain?.on('connection', (socket) => {
    if (proxyEntrance) proxyEntrance(socket, (statedArrival) => attach(socket, open, statedArrival))
    else attach(socket, open)
  })
  const { secure, unfollow } = await openSecureServer(settings, open, proxyEntrance)
  const servers = [plain, secure].filter((server) => server !== undefined)
  const observe = observeRarely(gateway)
  limit = limitConnections(servers, edge.memory.total / connectionCost, (message) =>
    observe(message, { kind: 'event', level: 'error', name: 'connectionsFull', message }),
  )
  for (const server of servers) {
    server.on('connection', (socket) => {
      noteNewConnection()
      open.sockets.add(socket)
      socket.once('close', () => open.sockets.delete(socket))
    })
    server.on('error', (error) => {
      const message = 'A connection could not be accepted.'
      if (server.listening)
        observeSafely(gateway, { kind: 'event', level: 'error', name: 'connection', message, error })
    })
  }
  const close = async () => {
    unfollow()
    await (source ? returnConnections(open, source) : drainListeners(open, servers))
    clock.close()
  }
  const trouble = () => limit?.trouble()
  const count = () => ({
    connections: connections.size,
    calls: Array.from(connections.values()).filter(({ isAtWork }) => isAtWork).length,
  })
  if (source) {
    source.start((socket, isSecure) => {
      if (edge.isStopping) void source.giveBack(socket)
      else takeIn(socket, isSecure ? secure : plain, isSecure, limit)
    })
    return { url: source.url, tlsUrl: source.tlsUrl, count, trouble, listeners: [], close }
  }

  try {
    await takeOver?.({
      listen: (at, received) => void (servers[at]?.listen(received, backlog) ?? received.close()),
      take: (at, socket) => takeIn(socket, servers[at], servers[at] === secure, limit),
    })
    for (const server of servers) {
      const address = { host, port: server === secure ? settings.tls?.port : port, reusePort: sharesPort, backlog }
      if (!server.listening) await once(server.listen(address), 'listening')
    }
    const tlsUrl = secure && `https://${formatAddress(host, secure)}`
    const url = plain ? `http://${formatAddress(host, plain)}` : (tlsUrl ?? '') // the settings have one of them
    return { url, tlsUrl, count, trouble, listeners: servers, close }
  } catch (error) {
    clock.close()
    unfollow()
    for (const server of servers) server.close()
    throw error
  }
}

function attach(socket: Socket, { edge, connections }: OpenSockets, statedArrival?: Arrival): void {
  const connection = new Connection(socket, edge, statedArrival)
  connections.set(socket, connection)
  socket.once('close', () => connections.delete(socket))
  if (edge.closesIdle) connection.stop(false) // its handshake ended only now, and its first call may be on its way
}

/** @param proxyEntrance set if every connection begins with a header of the PROXY protocol */
async function openSecureServer(settings: Settings, open: OpenSockets, proxyEntrance: ProxyEntrance | undefined) {
  const { tls, limits } = settings
  if (!tls) return { unfollow() {} }
  const read = await readCertificate(tls)
  // Without a valid certificate a client is refused by the operations that need one, not by the handshake
  const clients = tls.clientCa === undefined ? {} : { requestCert: true, rejectUnauthorized: false }
  const secure = nodeTls().createServer({ ...read, ...clients, noDelay: true, handshakeTimeout: limits.headersTimeout })
  const statedArrivals = new Map<string, Arrival>()
  secure.on('secureConnection', (socket: TLSSocket) => {
    const statedArrival = proxyEntrance && statedArrivals.get(addressesOf(socket))
    if (proxyEntrance && !statedArrival) return void socket.destroy()
    socket.allowHalfOpen = true // only now: a client that ends during its handshake is disconnected
    attach(socket, open, statedArrival && { ...statedArrival, isSecure: true })
  })
  secure.on('tlsClientError', (_error, socket) => socket.destroy())
  const onTrust = () => {
    for (const [socket, connection] of open.connections) if (isEncrypted(socket)) connection.stop()
  }
  const { observe } = open.edge.gateway
  const unfollow = followCertificate({ tls, read, server: secure, observe, onTrust })
  if (!proxyEntrance) return { secure, unfollow }

  // The header comes before the handshake, so another listener reads it and hands the connection on
  const listener = createServer({ noDelay: true })
  listener.on('connection', (socket) =>
    proxyEntrance(socket, (statedArrival) => {
      const addresses = addressesOf(socket)
      statedArrivals.set(addresses, statedArrival)
      socket.once('close', () => statedArrivals.delete(addresses))
      secure.emit('connection', socket)
    }),
  )
  return { secure: listener, unfollow }
}

/** Identifies an open connection: its TLS socket has the same addresses. */
function addressesOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`
}

/** Takes a connection that another process accepted, as if the listener had accepted it. */
function takeIn(socket: Socket, server: Server | undefined, isSecure: boolean, limit?: ConnectionLimit): void {
  if (!server || !limit?.admits(server)) return void socket.destroy()
  socket.allowHalfOpen = !isSecure
  socket.setNoDelay(true)
  server.emit('connection', socket)
}
