/** Another server: `node:http`, a second parser, which records what it reads. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createPlainServer, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface OriginalRequest {
  readonly method: string
  readonly url: string
  /** Lower-case names. */
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

export interface Original {
  readonly url: string
  /** Whole requests, in order. */
  readonly requests: OriginalRequest[]
  answer: (request: OriginalRequest, response: ServerResponse) => unknown
  /** In place of `answer`, before the body is read. */
  begin: ((request: IncomingMessage, response: ServerResponse) => unknown) | undefined
  close(): void
}

export async function openOriginal(): Promise<Original> {
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    if (original.begin) return original.begin(request, response)
    const { method = '', url = '', headers } = request
    const seen = { method, url, headers, body: await buffer(request) }
    original.requests.push(seen)
    return original.answer(seen, response)
  }
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy()) // a request that was broken off
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const original: Original = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    answer: (_request, response) => response.end('ok'),
    begin: undefined,
    close: () => server.close().closeAllConnections(),
  }
  return original
}

/** Answers each connection with bytes of its own. */
export async function openRawOriginal(serve: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createPlainServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    serve(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
