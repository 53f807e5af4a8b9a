/**
 * The sample issuer that `ig dev` runs with the gateway: a real OpenID provider with a client for each sample operator,
 * on loopback, without persistent data (specification 9.16).
 */
import { generateKeyPair, type JsonWebKey, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { createServer } from '../../base/node-http.ts'
import { Failure } from '../../terminal/explain-failure.ts'

export interface SampleIssuerOptions {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  readonly operators: readonly SampleIssuerClient[]
}

/** The client id is the operator id. */
export interface SampleIssuerClient {
  readonly id: string
  readonly email: string
  readonly clientSecret: string
}

export interface SampleIssuer {
  readonly issuer: string
  readonly tokenEndpoint: string
  /** Replaces its clients; its signing key stays. */
  replaceOperators(operators: readonly SampleIssuerClient[]): void
  close(): Promise<void>
}

/**
 * Listens immediately; requests wait until the provider is loaded.
 * @throws the listener's error if the port is taken: its `code` is EADDRINUSE, its `port` the port
 */
export async function openSampleIssuer({ host, port, operators }: SampleIssuerOptions): Promise<SampleIssuer> {
  requireProvider()
  const server = createServer()
  server.listen(port, host)
  await once(server, 'listening')
  const issuer = `http://${host}:${(server.address() as AddressInfo).port}`
  const loading = Promise.all([import(oidcProvider), generateSigningKey()])
  const makeCallback = async (clients: readonly SampleIssuerClient[]): Promise<RequestListener> => {
    const [{ Provider }, signingKey] = await loading
    return new Provider(issuer, configure(issuer, signingKey, clients)).callback()
  }
  let callback = makeCallback(operators)
  server.on('request', async (request, response) => (await callback)(request, response))

  const close = async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
  const replaceOperators = (clients: readonly SampleIssuerClient[]) => {
    callback = makeCallback(clients)
  }
  return { issuer, tokenEndpoint: `${issuer}/token`, replaceOperators, close }
}

/** A development dependency without types; the published package does not contain it. */
const oidcProvider: string = 'oidc-provider'

function requireProvider(): void {
  try {
    import.meta.resolve(oidcProvider)
  } catch {
    throw new Failure(
      'the project registers the sample issuer, which needs a package that is not installed here:\n' +
        '  npm install --save-dev oidc-provider@9',
    )
  }
}

async function generateSigningKey(): Promise<JsonWebKey> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
  return { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), alg: 'RS256', use: 'sig' }
}

function configure(issuer: string, signingKey: JsonWebKey, operators: readonly SampleIssuerClient[]) {
  const emails = new Map(operators.map(({ id, email }) => [id, email]))
  return {
    adapter: ForgetfulAdapter,
    jwks: { keys: [signingKey] },
    clients: operators.map(({ id, clientSecret }) => ({
      client_id: id,
      client_secret: clientSecret,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    })),
    cookies: { keys: [randomUUID()] },
    ttl: { ClientCredentials: 3600 },
    extraTokenClaims: (_context: unknown, { clientId }: { clientId: string }) => ({ email: emails.get(clientId) }),
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      // Without a resource the provider issues opaque tokens: every request gets one, hence a JWT.
      resourceIndicators: {
        enabled: true,
        defaultResource: () => `${issuer}/gateway`,
        getResourceServerInfo: () => ({ scope: '', accessTokenFormat: 'jwt', jwt: { sign: { alg: 'RS256' } } }),
      },
    },
  }
}

/** Stores no grants: its tokens are self-contained. */
class ForgetfulAdapter {
  async upsert() {}
  async find() {}
  async findByUid() {}
  async findByUserCode() {}
  async consume() {}
  async destroy() {}
  async revokeByGrantId() {}
}
