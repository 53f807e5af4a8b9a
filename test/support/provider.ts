/**
 * Identity providers of administrators, over real sockets: `openLiar` issues whatever ID token it is asked to, even what
 * no proper provider would; `openRealProvider` is oidc-provider, with its forms.
 */
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { exportJWK, SignJWT } from 'jose'
import type { TestAdmin } from './admin.ts'
import { makeKey, type SigningKey } from './issuer.ts'

export const client = { id: 'gateway', secret: 'a-secret-of-the-provider' }

export interface Liar {
  readonly issuer: string
  /** Changes what it answers; undefined: as it should. */
  metadata: (honest: Readonly<Record<string, unknown>>) => unknown
  /** The ID token of a code. */
  idToken: (honest: Readonly<Record<string, unknown>>, sign: Sign) => Promise<unknown>
  token: (honest: Readonly<Record<string, unknown>>) => unknown
  /** Instead of an answer to any request. */
  answer: RequestListener | undefined
  readonly key: SigningKey
  /** By path. */
  readonly counts: Map<string, number>
  /** The person signs in there, and comes back to this URL. */
  signIn(location: string, claims: Readonly<Record<string, unknown>>): string
  stop(): Promise<void>
  start(): Promise<void>
}

type Sign = (claims: Readonly<Record<string, unknown>>, key?: SigningKey) => Promise<string>

export async function openLiar(t: TestContext): Promise<Liar> {
  const key = await makeKey()
  const codes = new Map<string, { readonly asked: URLSearchParams; readonly claims: object }>()
  const sign: Sign = (claims, { alg, kid, privateKey } = key) =>
    new SignJWT({ ...claims }).setProtectedHeader({ alg, ...(kid !== undefined && { kid }) }).sign(privateKey)
  const answer: RequestListener = async (request, response) => {
    const path = request.url ?? ''
    liar.counts.set(path, (liar.counts.get(path) ?? 0) + 1)
    if (liar.answer) return liar.answer(request, response)
    const send = (body: unknown, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (path === '/.well-known/openid-configuration') return send(liar.metadata(metadata()))
    if (path === '/jwks') return send({ keys: [key.jwk] })
    if (path !== '/token') return send({}, 404)
    const given = new URLSearchParams(await readText(request))
    const code = given.get('code') ?? ''
    const { asked, claims } = codes.get(code) ?? {}
    codes.delete(code)
    const challenge = createHash('sha256')
      .update(given.get('code_verifier') ?? '')
      .digest('base64url')
    const basic = `Basic ${btoa(`${client.id}:${client.secret.replaceAll('-', '%2D')}`)}`
    const isRight =
      asked?.get('code_challenge') === challenge &&
      asked.get('redirect_uri') === given.get('redirect_uri') &&
      request.headers.authorization === basic
    if (!isRight) return send({ error: 'invalid_grant' }, 400)
    const now = Math.floor(Date.now() / 1000)
    const times = { iat: now, exp: now + 300 }
    const honest = { iss: liar.issuer, aud: client.id, nonce: asked?.get('nonce'), ...times, ...claims }
    const id_token = await liar.idToken(honest, sign)
    send(liar.token({ access_token: randomUUID(), token_type: 'Bearer', expires_in: 300, id_token }))
  }
  let server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const issuer = `http://127.0.0.1:${port}`
  const metadata = () => ({
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
  })
  const liar: Liar = {
    issuer,
    metadata: (honest) => honest,
    idToken: (honest, signing) => signing(honest),
    token: (honest) => honest,
    answer: undefined,
    key,
    counts: new Map(),
    signIn(location, claims) {
      const asked = new URL(location).searchParams
      const code = randomUUID()
      codes.set(code, { asked, claims })
      const back = new URL(asked.get('redirect_uri') ?? '')
      back.search = new URLSearchParams({ code, state: asked.get('state') ?? '' }).toString()
      return back.href
    },
    async stop() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
    async start() {
      server = createServer(answer).listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
  }
  t.after(() => liar.stop())
  return liar
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text
}

/** The settings of a gateway whose administrators sign in there. */
export function signInWith(issuer: string): Readonly<Record<string, string>> {
  return {
    'ig.admin.oidc.issuer': issuer,
    'ig.admin.oidc.clientId': client.id,
    'ig.admin.oidc.clientSecret': client.secret,
    'ig.admin.oidc.administrators': 'gateway-admins',
    'ig.admin.oidc.operators': 'gateway-operators, on-call',
    'ig.admin.oidc.viewers': 'staff',
  }
}

/** What a browser does: only its own cookies, and no redirect followed. */
export function openVisitor({ ask }: Pick<TestAdmin, 'ask'>, more: Readonly<Record<string, string>> = {}) {
  const cookies = new Map<string, string>()
  return {
    cookies,
    async visit(url: string) {
      const { pathname, search } = new URL(url, 'http://gateway')
      const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
      const answer = await ask(`GET ${pathname}${search}`, { headers: { ...more, ...(cookie !== '' && { cookie }) } })
      for (const line of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        if (/max-age=0/i.test(line)) cookies.delete(name)
        else cookies.set(name, value)
      }
      return { status: answer.status, location: answer.headers.get('location') ?? '', body: answer.body, answer }
    },
  }
}

/** A development dependency without types. */
const oidcProvider: string = 'oidc-provider'

/** Serves once it knows the gateway, which is told its issuer: the gateway asks with the first sign-in. */
export async function openRealProvider(t: TestContext, claims: Readonly<Record<string, unknown>>) {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    issuer,
    async serve(redirectUri: string) {
      const { Provider } = await import(oidcProvider)
      const { privateKey } = await makeKey()
      const jwk = { ...(await exportJWK(privateKey)), kid: 'only', alg: 'RS256', use: 'sig' }
      const provider = new Provider(issuer, {
        clients: [{ client_id: client.id, client_secret: client.secret, redirect_uris: [redirectUri] }],
        claims: { openid: ['sub', 'groups'], email: ['email'] },
        findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: () => ({ sub, ...claims }) }),
        cookies: { keys: [randomUUID()] },
        jwks: { keys: [jwk] },
        ttl: { AccessToken: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
      })
      server.on('request', provider.callback())
    },
  }
}
