/**
 * The identity provider of a test: signing keys only. Its key set is read from a `data:` URL, so the gateway verifies
 * real tokens with real keys, and no port is opened (specification 11.4).
 */
import { generateKeyPair, type KeyObject, randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { SignJWT } from 'jose'
import type { Configuration } from '../configuration/configuration.ts'
import type { SampleOperator } from '../configuration/sample-operator.ts'
import type { Settings } from '../settings.ts'

export interface TestIssuer {
  /** The configuration with this issuer as the active OAuth2 service app. */
  readonly configuration: Configuration
  readonly settings: Settings
  /** @param now epoch milliseconds: the token is valid for an hour */
  token(operator: SampleOperator | { readonly id: string; readonly email?: string }, now: number): Promise<string>
}

export async function openTestIssuer(project: {
  configuration: Configuration
  settings: Settings
}): Promise<TestIssuer> {
  const { configuration, settings } = project
  const { publicKey, privateKey, kid } = await key()
  const apps = configuration.oauth2ServiceApps
  const registered = apps.find(({ name }) => name === settings.authorizationServer) ?? apps[0]
  const { issuer = 'https://issuer.example' } = registered ?? {}
  const endpoints = { authorizationEndpoint: `${issuer}/authorize`, tokenEndpoint: `${issuer}/token` }
  const app = { name: 'TEST_ISSUER', ...registered, issuer, metadataUrl: undefined, ...endpoints }
  const keySet = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' }] }
  const { audience, scopes } = app

  return {
    configuration: { ...configuration, oauth2ServiceApps: [app] },
    settings: {
      ...settings,
      authorizationServer: app.name,
      jsonWebKey: `data:application/json,${encodeURIComponent(JSON.stringify(keySet))}`,
    },
    token: ({ id, email }, now) =>
      new SignJWT({ email, ...(audience ? { aud: audience[0] } : {}), ...(scopes ? { scp: [...scopes] } : {}) })
        .setProtectedHeader({ alg: 'ES256', kid })
        .setIssuer(issuer)
        .setSubject(id)
        .setIssuedAt(Math.floor(now / 1000))
        .setExpirationTime(Math.floor(now / 1000) + 3600)
        .sign(privateKey),
  }
}

interface SigningKey {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
  readonly kid: string
}

let known: Promise<SigningKey> | undefined

/** One for each process. */
function key(): Promise<SigningKey> {
  known ??= promisify(generateKeyPair)('ec', { namedCurve: 'P-256' }).then((pair) => ({ ...pair, kid: randomUUID() }))
  return known
}
