/**
 * An identity provider for tests, over a real socket: its keys can be rotated, its server can be taken away and come
 * back, counts requests, and signs whatever it is asked to, even what no proper provider would.
 */
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type CryptoKey,
  exportJWK,
  exportSPKI,
  type GenerateKeyPairResult,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  SignJWT,
} from 'jose'
import { afterwards } from './afterwards.ts'

export interface SigningKey {
  readonly kid: string | undefined
  readonly alg: string
  readonly privateKey: CryptoKey
  readonly publicKey: CryptoKey
  /** The public half, as in the key set. */
  readonly jwk: JWK
  /** The public half in PEM: what an algorithm confusion uses as its secret. */
  readonly pem: string
}

export interface TestIssuer {
  readonly issuer: string
  readonly jwksUrl: string
  readonly metadataUrl: string
  /** What the server answers with; change them at will. */
  keys: readonly SigningKey[]
  jwks: () => unknown
  metadata: () => unknown
  /** Requests by path since the last `counts.clear()`. */
  readonly counts: Map<string, number>
  /** Resolves when the key set is asked for; its answer waits until `release` is called. */
  hold(): { readonly asked: Promise<void>; release(): void }
  /** Takes the server away; `start` brings it back at the same port. */
  stop(): Promise<void>
  start(): Promise<void>
  /** Epoch milliseconds: tokens are good for an hour from here. */
  now: number
  /** A valid token for DEMO with the given changes; a claim of undefined is left out. */
  sign(change?: TokenChange): Promise<string>
}

export interface TokenChange {
  readonly claims?: Readonly<Record<string, unknown>>
  readonly header?: Readonly<Record<string, unknown>>
  readonly key?: SigningKey
}

export async function openTestIssuer({ now = Date.now() } = {}): Promise<TestIssuer> {
  let held: { gate: Promise<void>; asked: () => void } | undefined
  const answer: RequestListener = async (request, response) => {
    const path = request.url ?? ''
    issuer.counts.set(path, (issuer.counts.get(path) ?? 0) + 1)
    if (path === '/elsewhere') response.writeHead(302, { location: issuer.jwksUrl }).end()
    else if (path === '/jwks' && held) {
      held.asked()
      await held.gate
    }
    const document = path === '/jwks' ? issuer.jwks() : path.includes('/.well-known/') ? issuer.metadata() : undefined
    if (response.writableEnded) return
    if (document === undefined) response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': 'application/json' }).end(text(document))
  }

  let server = await listen(answer, 0)
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const issuer: TestIssuer = {
    issuer: url,
    jwksUrl: `${url}/jwks`,
    metadataUrl: `${url}/.well-known/openid-configuration`,
    keys: [await makeKey()],
    jwks: () => ({ keys: issuer.keys.map(({ jwk }) => jwk) }),
    metadata: () => ({
      issuer: url,
      authorization_endpoint: `${url}/auth`,
      token_endpoint: `${url}/token`,
      jwks_uri: `${url}/jwks`,
    }),
    counts: new Map(),
    hold() {
      const gate = Promise.withResolvers<void>()
      const asked = Promise.withResolvers<void>()
      held = { gate: gate.promise, asked: asked.resolve }
      return {
        asked: asked.promise,
        release() {
          held = undefined
          gate.resolve()
        },
      }
    },
    async stop() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
    async start() {
      server = await listen(answer, port)
    },
    now,
    async sign({ claims, header, key = issuer.keys[0] as SigningKey } = {}) {
      const seconds = Math.floor(issuer.now / 1000)
      const times = { iat: seconds, exp: seconds + 3600 }
      const payload = { iss: url, sub: 'DEMO', email: 'demo@example.com', ...times, ...claims }
      const protectedHeader = { alg: key.alg, kid: key.kid, ...header }
      return new SignJWT(payload as Record<string, unknown>)
        .setProtectedHeader(JSON.parse(JSON.stringify(protectedHeader)) as JWTHeaderParameters)
        .sign(key.privateKey)
    },
  }
  return issuer
}

let made = 0
/** By algorithm, of tests that have ended: to make a pair of RSA takes a tenth of a second of processor time. */
const free = new Map<string, GenerateKeyPairResult[]>()

/** Unlike every other of this test and of what serves several tests. */
async function takeKeyPair(alg: string): Promise<GenerateKeyPairResult> {
  const pairs = free.get(alg) ?? []
  free.set(alg, pairs)
  const pair = pairs.pop() ?? (await generateKeyPair(alg, { extractable: true }))
  afterwards(() => pairs.push(pair))
  return pair
}

export async function makeKey({ alg = 'RS256', kid = `key-${++made}`, ...jwk }: JWK & { alg?: string } = {}) {
  const { privateKey, publicKey } = await takeKeyPair(alg)
  const named = kid === '' ? undefined : kid // '' for a key without a name
  const key: SigningKey = {
    kid: named,
    alg,
    privateKey,
    publicKey,
    jwk: { ...(await exportJWK(publicKey)), alg, use: 'sig', ...(named && { kid: named }), ...jwk },
    pem: await exportSPKI(publicKey),
  }
  return key
}

async function listen(answer: RequestListener, port: number): Promise<Server> {
  const server = createServer(answer)
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}

function text(document: unknown): string {
  return typeof document === 'string' ? document : JSON.stringify(document)
}
