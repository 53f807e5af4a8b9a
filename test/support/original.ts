/** The server that operations are passed through to: `node:http`, a second parser, which records what it reads. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createPlainServer, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { openTestGateway, type TestGateway } from 'integration-gateway/testing'
import { type PassThroughOptions, passThrough } from '../../src/model/pass-through.ts'

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

const methods = ['GET', 'POST', 'PUT', 'DELETE', 'HEAD'] as const

export interface Passed {
  readonly url: string
  readonly how?: PassThroughOptions
  readonly timeout?: string
  readonly bodyLimit?: string
  readonly isActive?: boolean
  readonly uriTemplates?: readonly string[]
  /** Default: Basic. */
  readonly verification?: 'Basic' | 'NONE'
}

export const rootOf = (name: string) => `/PSIGW/RESTListeningConnector/LOCAL_NODE/${name}.v1`

/** OLD_NODE passes on what the gateway does not have. */
export const oldRoot = '/PSIGW/RESTListeningConnector/OLD_NODE'
const upstreamOf = (url: string) =>
  ({ passThrough: url, verification: 'Basic', permissionLists: ['ALL'], bodyLimit: '100KiB' }) as const

/** A gateway whose operations, of each method, are passed through; CALLER may call them, and OTHER may not. */
export function openPassing(
  passed: Readonly<Record<string, Passed>>,
  settings: Readonly<Record<string, string>> = {},
  upstream?: string,
): Promise<TestGateway> {
  return openTestGateway({
    listen: true,
    settings,
    operators: [{ id: 'CALLER', permissionLists: ['ALL'] }, { id: 'OTHER' }],
    project: {
      configuration: {
        nodes: [
          { name: 'LOCAL_NODE', isDefaultLocal: true },
          { name: 'ANONYMOUS', defaultUser: 'CALLER' },
          ...(upstream === undefined ? [] : [{ name: 'OLD_NODE', upstream: { ...upstreamOf(upstream) } }]),
        ],
        services: [{ name: 'PASSED' }],
        operations: Object.entries(passed).flatMap(([name, { url, how, verification = 'Basic', ...fields }]) =>
          methods.map((method) => ({
            ...fields,
            service: 'PASSED',
            name,
            method,
            verification,
            handler: passThrough(url, how),
          })),
        ),
        permissionLists: [{ name: 'ALL', services: ['PASSED'] }],
      },
    },
  })
}
