/** The listening plane: `node:http`, and `node:https` beside it, around the pipeline (specification 7). */
import type { SendHandle } from 'node:child_process'
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type ListenOptions, Server as NetServer, type Socket } from 'node:net'
import type { Call, Reply } from '../model/call.ts'
import { Refusal } from '../model/refusal.ts'
import type { Limits, Settings } from '../settings.ts'
import { followCertificate, readCertificate } from '../tls/certificate.ts'
import { Connection } from './connection.ts'
import { type ConnectionSource, findUntouched } from './connection-source.ts'
import type { Edge, EdgeGateway } from './edge.ts'
import { mostFields, type ParserError, parserLimit } from './framing.ts'
import { readAsStream } from './hold-reading.ts'
import { limitConnections } from './limit-connections.ts'
import { closeInherited, listeningSocketOf, placeOf } from './listening-socket.ts'
import { Response } from './response.ts'
import { inSlice } from './turn.ts'

export interface OpenServerOptions<Gateway extends EdgeGateway> {
  readonly gateway: Gateway
  readonly settings: Settings
  readonly answer: (call: Call, gateway: Gateway) => Promise<Reply>
  /** In place of ports of its own. */
  readonly source?: ConnectionSource | undefined
  /** Other processes listen at the same port: the system spreads connections over them (specification 17.1). */
  readonly sharesPort?: boolean | undefined
  /** Listening sockets of the process before, the TLS listener's behind the other's: used in place of new ones. */
  readonly inherited?: readonly number[] | undefined
}

export interface OpenServer {
  /** Over TLS, where nothing listens in plain text. */
  readonly url: string
  readonly tlsUrl: string | undefined
  /** How much is open; looked up when somebody asks. */
  count(): { readonly connections: number; readonly calls: number }
  /** For the process that comes after. */
  readonly listeningSockets: readonly SendHandle[]
  /** Takes no new calls, lets those under way finish within the grace time, then ends them. */
  close(): Promise<void>
}

/** How long, in milliseconds, what was aborted at the end of the grace time may take to say so. */
const lastWords = 200
/** How often, in milliseconds, heads that do not end are looked at. */
const headsInterval = 500
/** Connections that wait to be accepted; Node's own 511 are a third of a second of a crowd. The system may have a lower bound. */
const backlog = 4096

/** Rejects with the system's error (`code`, `port`) where an address cannot be had. */
export async function openServer<Gateway extends EdgeGateway>(
  options: OpenServerOptions<Gateway>,
): Promise<OpenServer> {
  const { gateway, settings, answer, source, sharesPort = false, inherited = [] } = options
  const edge: Edge = { gateway, answer: (call) => answer(call, gateway), isStopping: false, closesIdle: false }
  const connections = new Map<Socket, Connection>()
  const sockets = new Set<Socket>()
  const { host, port, limits } = settings

  const plain = port === undefined ? undefined : createServer(serverOptions(settings))
  if (plain) attach(plain, 'connection', edge, connections, sockets)
  const { secure, unfollow } = await openSecureServer(settings, gateway)
  if (secure) attach(secure, 'secureConnection', edge, connections, sockets)
  const servers = [plain, secure].filter((server) => server !== undefined)
  const checkHeads = setInterval(() => {
    for (const connection of connections.values()) connection.checkHead()
  }, headsInterval)
  const close = () => {
    clearInterval(checkHeads)
    unfollow()
    return stop({ servers, edge, connections, sockets, limits, source })
  }
  const count = () => ({
    connections: connections.size,
    calls: Array.from(connections.values()).reduce((sum, { callsUnderWay }) => sum + callsUnderWay, 0),
  })
  if (source) {
    takeConnections(source, edge, plain, secure)
    return { url: source.url, tlsUrl: source.tlsUrl, count, listeningSockets: [], close }
  }

  try {
    for (const [index, server] of servers.entries()) {
      const own = { host, reusePort: sharesPort, port: server === secure ? settings.tls?.port : port }
      await listen(server, placeOf(inherited[index], own))
    }
    closeInherited(inherited.slice(servers.length))
    const tlsUrl = secure && `https://${formatAddress(host, secure)}`
    const url = plain ? `http://${formatAddress(host, plain)}` : (tlsUrl ?? '') // the settings have one of them
    const listeningSockets = servers.map(listeningSocketOf).filter((socket) => socket !== undefined)
    return { url, tlsUrl, count, listeningSockets, close }
  } catch (error) {
    clearInterval(checkHeads)
    unfollow()
    for (const server of servers) server.close()
    throw error
  }
}

async function openSecureServer(settings: Settings, { observe }: EdgeGateway) {
  const { tls, limits } = settings
  if (!tls) return { unfollow() {} }
  const read = await readCertificate(tls)
  const secure = createSecureServer({ ...serverOptions(settings), ...read, handshakeTimeout: limits.headersTimeout })
  return { secure, unfollow: followCertificate({ tls, read, server: secure, observe }) }
}

function serverOptions({ limits }: Settings): ServerOptions {
  return {
    ServerResponse: Response,
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
  server.maxHeadersCount = mostFields + 1 // those beyond would be dropped in silence; a head with so many is refused
  // Known to node:http, but not documented: the reply to a client that has closed its own half is still written.
  Object.assign(server, { httpAllowHalfOpen: true })
  limitConnections(server, edge.gateway)
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on(event, (socket: Socket) => {
    if (event === 'secureConnection') {
      socket.allowHalfOpen = true // as node:http has it; before its handshake, one that has ended is let go
      readAsStream(socket)
    }
    connections.set(socket, new Connection(socket, edge))
    socket.once('close', () => connections.delete(socket))
  })
  server.on('request', accept(false))
  server.on('checkContinue', accept(true))
  server.on('checkExpectation', accept(false))
  server.on('clientError', (error: ParserError, socket) => {
    const connection = connections.get(socket as Socket)
    if (!connection) socket.destroy()
    else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') refuseLate(connection, error)
    else connection.refuse(error)
  })
  server.on('connect', (_request, socket) => {
    const error = Object.assign(new Error('CONNECT'), { code: 'HPE_CONNECT' })
    connections.get(socket as Socket)?.refuse(error)
  })
}

/** node:http finds all that are late at one moment. */
function refuseLate(connection: Connection, error: ParserError): void {
  const { callsUnderWay } = connection
  inSlice(() => {
    if (connection.callsUnderWay <= callsUnderWay) connection.refuse(error) // or its head has come meanwhile
  })
}

function takeConnections(
  source: ConnectionSource,
  edge: Edge,
  plain: Server | undefined,
  secure: Server | undefined,
): void {
  for (const server of [plain, secure]) server?.emit('listening') // node:http begins to watch its time limits
  source.start((socket, isSecure) => {
    if (edge.isStopping) return void source.giveBack(socket, isSecure)
    const server = isSecure ? secure : plain
    if (!server) return socket.destroy()
    socket.allowHalfOpen = !isSecure // as a listener of node:http has them
    socket.setNoDelay(true)
    server.emit('connection', socket)
  })
}

function listen(server: Server, place: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    // Twice: a socket that was handed over takes it from the argument alone
    server.listen({ ...place, backlog }, backlog, () => {
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
  readonly connections: Map<Socket, Connection>
  /** Those too that have not finished their TLS handshake, and are no connections yet. */
  readonly sockets: Set<Socket>
  readonly limits: Limits
  readonly source: ConnectionSource | undefined
}

async function stop({ servers, edge, connections, sockets, limits, source }: Listening): Promise<void> {
  edge.isStopping = true
  const given = source ? giveBack(source, servers, connections, sockets) : undefined
  // Not the `close` of node:http, which cuts off replies that are written but not yet received.
  const closed = source
    ? Promise.all(Array.from(sockets, (socket) => new Promise((resolve) => socket.once('close', resolve))))
    : Promise.all(servers.map((server) => new Promise((resolve) => NetServer.prototype.close.call(server, resolve))))
  // A call may be on its way on what looks idle from here, and a proxy must not repeat a POST: it is answered, and told
  // that the connection ends. Behind a source, what is left has begun a call, or cannot be handed over.
  const idle = source ? 0 : Math.min(limits.shutdownIdle, limits.shutdownGrace)
  if (!source) await isOver(closed, idle)
  edge.closesIdle = true
  for (const connection of connections.values()) if (!source || !connection.isIdle) connection.stop()
  const isClosed = await isOver(closed, limits.shutdownGrace - idle)
  await given // the end closes idle connections, those too that wait to be sent
  if (isClosed) return end(servers)

  const reason = new Refusal('overloaded', 'cut off by the stop: the grace time has ended', {
    detail: 'The gateway is stopping.',
  })
  for (const connection of connections.values()) connection.abort(reason)
  await isOver(closed, lastWords)
  for (const socket of sockets) socket.destroy()
  await closed
  end(servers)
}

/** Whoever waits on an idle connection has its next call answered by the process that comes after. */
function giveBack(
  source: ConnectionSource,
  [plain]: readonly Server[],
  connections: Map<Socket, Connection>,
  sockets: Set<Socket>,
): Promise<unknown> {
  const untouched = plain ? findUntouched(plain, connections.keys()) : []
  const given: Promise<void>[] = []
  for (const socket of untouched) {
    if (!connections.get(socket)?.isIdle) continue
    connections.delete(socket)
    sockets.delete(socket)
    given.push(source.giveBack(socket, false))
  }
  source.retired()
  return Promise.all(given)
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
