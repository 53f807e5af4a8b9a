/** An identity provider for the benchmark: its public keys on a port of their own, and as many access tokens as wanted. */
import { generateKeyPair, type JsonWebKey, type KeyObject, randomUUID, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { demo } from './requests.ts'

export interface Issuer {
  readonly jwksUrl: string
  readonly keys: { readonly keys: readonly JsonWebKey[] }
  /** Valid for a day, each of its own, as the sample issuer's are: RS256, 2048 bits. */
  issue(count: number): Promise<readonly string[]>
  close(): Promise<void>
}

/** What the reference project registers. */
export const issuerName = 'http://127.0.0.1:8090'

export async function openIssuer(): Promise<Issuer> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
  const kid = randomUUID()
  const keys = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' }] }
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/jwk-set+json').end(JSON.stringify(keys))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    keys,
    jwksUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`,
    issue: (count) => Promise.all(Array.from({ length: count }, () => issue(kid, privateKey))),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const signAside = promisify(sign)

async function issue(kid: string, key: KeyObject): Promise<string> {
  const iat = Math.floor(Date.now() / 1000)
  const claims = {
    jti: randomUUID(),
    sub: demo.id,
    email: demo.email,
    iat,
    exp: iat + 24 * 3600,
    client_id: demo.id,
    iss: issuerName,
    aud: `${issuerName}/gateway`,
  }
  const parts = [{ alg: 'RS256', typ: 'at+jwt', kid }, claims]
  const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${signed}.${(await signAside('RSA-SHA256', Buffer.from(signed), key)).toString('base64url')}`
}
