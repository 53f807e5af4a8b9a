/** The listening plane: `node:http`, and `node:https` beside it, around the pipeline (specification 7). */
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type ListenOptions, Server as NetServer, type Socket } from 'node:net'
import type { Call, Reply } from '../model/call.ts'
import { Refusal } from '../model/refusal.ts'
import type { Settings } from '../settings.ts'
import { Connection } from './connection.ts'
import type { Edge, EdgeGateway } from './edge.ts'
import { type ParserError, parserLimit } from './framing.ts'

export interface OpenServerOptions<Gateway extends EdgeGateway> {
  readonly gateway: Gateway
  readonly settings: Settings
  readonly answer: (call: Call, gateway: Gateway) => Promise<Reply>
  /** Other processes listen at the same port: the system spreads connections over them (specification 17.1). */
  readonly sharesPort?: boolean | undefined
}

export interface OpenServer {
  readonly url: string
  readonly tlsUrl: string | undefined
  /** Takes no new calls, lets those under way finish within the grace time, then ends them. */
  close(): Promise<void>
}

/** How long, in milliseconds, what was aborted at the end of the grace time may take to say so. */
const lastWords = 500

/** Rejects with the system's error (`code`, `port`) where an address cannot be had. */
export async function openServer<Gateway extends EdgeGateway>(
  options: OpenServerOptions<Gateway>,
): Promise<OpenServer> {
  const { gateway, settings, answer, sharesPort = false } = options
  const edge: Edge = { gateway, answer: (call) => answer(call, gateway), isStopping: false }
  const connections = new Map<Socket, Connection>()
  const sockets = new Set<Socket>()
  const { tls, host, port, limits } = settings

  const server = createServer(serverOptions(settings))
  const servers = [server]
  const close = () => stop({ servers, edge, connections, sockets, grace: limits.shutdownGrace })
  attach(server, 'connection', edge, connections, sockets)
  await listen(server, { host, port, reusePort: sharesPort })
  const url = `http://${formatAddress(host, server)}`
  if (!tls) return { url, tlsUrl: undefined, close }

  try {
    const [cert, key] = await Promise.all([readFile(tls.cert), readFile(tls.key)])
    const secure = createSecureServer({
      ...serverOptions(settings),
      cert,
      key,
      handshakeTimeout: limits.headersTimeout,
    })
    attach(secure, 'secureConnection', edge, connections, sockets)
    await listen(secure, { host, port: tls.port, reusePort: sharesPort })
    servers.push(secure)
    const tlsUrl = `https://${formatAddress(host, secure)}`
    return { url, tlsUrl, close }
  } catch (error) {
    server.close()
    throw error
  }
}

function serverOptions({ limits }: Settings): ServerOptions {
  return {
    maxHeaderSize: parserLimit(limits),
    requireHostHeader: false, // the edge refuses it itself
    keepAliveTimeout: limits.keepAliveTimeout,
    headersTimeout: limits.headersTimeout,
    requestTimeout: 0, // the body has its own
    connectionsCheckingInterval: Math.min(1000, limits.headersTimeout),
    optimizeEmptyRequests: true,
    noDelay: true,
  }
}

function attach(
  server: Server,
  event: 'connection' | 'secureConnection',
  edge: Edge,
  connections: Map<Socket, Connection>,
  sockets: Set<Socket>,
): void {
  const accept = (mustAsk: boolean) => (request: IncomingMessage, response: ServerResponse) =>
    connections.get(request.socket)?.accept(request, response, mustAsk)
  server.maxHeadersCount = 0 // those beyond the count would be dropped in silence; bytes are limited
  // Known to node:http, but not documented: the reply to a client that has closed its own half is still written.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on(event, (socket: Socket) => {
    connections.set(socket, new Connection(socket, edge))
    socket.once('close', () => connections.delete(socket))
  })
  server.on('request', accept(false))
  server.on('checkContinue', accept(true))
  server.on('checkExpectation', accept(false))
  server.on('clientError', (error: ParserError, socket) => {
    const connection = connections.get(socket as Socket)
    if (connection) connection.refuse(error)
    else socket.destroy()
  })
  server.on('connect', (_request, socket) => {
    const error = Object.assign(new Error('CONNECT'), { code: 'HPE_CONNECT' })
    connections.get(socket as Socket)?.refuse(error)
  })
}

function listen(server: Server, place: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(place, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function formatAddress(host: string, server: Server): string {
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

interface Listening {
  readonly servers: readonly Server[]
  readonly edge: Edge
  readonly connections: ReadonlyMap<Socket, Connection>
  /** Those too that have not finished their TLS handshake, and are no connections yet. */
  readonly sockets: ReadonlySet<Socket>
  readonly grace: number
}

async function stop({ servers, edge, connections, sockets, grace }: Listening): Promise<void> {
  edge.isStopping = true
  // Not the `close` of node:http, which cuts off replies that are written but not yet received.
  const closed = Promise.all(
    servers.map((server) => new Promise((resolve) => NetServer.prototype.close.call(server, resolve))),
  )
  for (const connection of connections.values()) connection.stop()
  if (await isOver(closed, grace)) return end(servers)

  const reason = new Refusal('overloaded', 'the gateway stops', { detail: 'The gateway is stopping.' })
  for (const connection of connections.values()) connection.abort(reason)
  await isOver(closed, lastWords)
  for (const socket of sockets) socket.destroy()
  await closed
  end(servers)
}

/** Ends the checks of time limits that node:http keeps for its server. */
function end(servers: readonly Server[]): void {
  for (const server of servers) server.close()
}

async function isOver(event: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, milliseconds, false)
  const isDone = await Promise.race([event.then(() => true), promise])
  clearTimeout(timer)
  return isDone
}
