/**
 * Passkeys: WebAuthn by @simplewebauthn/server, which is loaded with the first one (specification 34.22). The relying
 * party is the host name at which people open the console.
 */
import { hash } from 'node:crypto'
import { isIP } from 'node:net'
import { z } from 'zod'
import type { Factor, Proof } from '../../store/administration/factors-contract.ts'

const library = () => import('@simplewebauthn/server')
type Library = Awaited<ReturnType<typeof library>>
type Registration = Parameters<Library['verifyRegistrationResponse']>[0]['response']
type Assertion = Parameters<Library['verifyAuthenticationResponse']>[0]['response']

/** EdDSA, ES256, RS256: not ML-DSA, which is experimental in Node 24. */
const supportedAlgorithmIDs = [-8, -7, -257]

/** A passkey as the store has it. */
const stored = z.object({
  credential: z.string(),
  publicKey: z.string(),
  transports: z.array(z.string()),
  /** The host name that it is for. */
  host: z.string(),
})

/** @returns undefined where browsers have no passkeys: they need a host name */
export function hostOf({ hostname }: URL): string | undefined {
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? hostname : undefined
}

export async function makeRegistration(administrator: string, factors: readonly Factor[], host: string) {
  const { generateRegistrationOptions } = await library()
  return generateRegistrationOptions({
    rpName: 'Integration Gateway',
    rpID: host,
    userName: administrator,
    userID: new Uint8Array(hash('sha256', administrator, 'buffer')),
    attestationType: 'none',
    supportedAlgorithmIDs,
    excludeCredentials: credentialsOf(factors, host),
    authenticatorSelection: { residentKey: 'discouraged', userVerification: 'preferred' },
  })
}

/** @returns its row's secret and counter; undefined if the response is not right */
export async function readRegistration(
  given: unknown,
  challenge: string,
  url: URL,
): Promise<Pick<Factor, 'secret' | 'counter'> | undefined> {
  const { verifyRegistrationResponse } = await library()
  const expected = { expectedChallenge: challenge, expectedOrigin: url.origin, expectedRPID: url.hostname }
  const verified = await verifyRegistrationResponse({
    response: given as Registration,
    ...expected,
    supportedAlgorithmIDs,
    requireUserVerification: false,
  }).catch(
    () => undefined, // whatever is wrong, the response is the client's
  )
  if (!verified?.verified) return undefined
  const { id, publicKey, counter, transports = [] } = verified.registrationInfo.credential
  const key = Buffer.from(publicKey).toString('base64url')
  const secret = { credential: id, publicKey: key, transports, host: url.hostname } satisfies z.input<typeof stored>
  return { secret: JSON.stringify(secret), counter }
}

/** @returns undefined if the person has no passkey for this host */
export async function makeAssertion(factors: readonly Factor[], host: string | undefined) {
  const allowCredentials = host === undefined ? [] : credentialsOf(factors, host)
  if (host === undefined || allowCredentials.length === 0) return undefined
  const { generateAuthenticationOptions } = await library()
  return generateAuthenticationOptions({ rpID: host, allowCredentials, userVerification: 'preferred' })
}

/** @returns undefined if the response is not right, or its counter is that of a copy */
export async function provePasskey(
  factors: readonly Factor[],
  given: unknown,
  challenge: string,
  url: URL,
): Promise<Proof | undefined> {
  const found = passkeysOf(factors, url.hostname).find(
    ({ credential }) => credential === (given as Partial<Assertion> | undefined)?.id,
  )
  if (!found) return undefined
  const { verifyAuthenticationResponse } = await library()
  const { id, counter, credential, publicKey } = found
  const verified = await verifyAuthenticationResponse({
    response: given as Assertion,
    expectedChallenge: challenge,
    expectedOrigin: url.origin,
    expectedRPID: url.hostname,
    credential: { id: credential, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter },
    requireUserVerification: false,
  }).catch(() => undefined)
  return verified?.verified ? { factor: id, counter: verified.authenticationInfo.newCounter } : undefined
}

function passkeysOf(factors: readonly Factor[], host: string) {
  return factors
    .filter(({ kind }) => kind === 'passkey')
    .map(({ id, counter, secret }) => ({ id, counter, ...stored.parse(JSON.parse(secret)) }))
    .filter((passkey) => passkey.host === host)
}

function credentialsOf(factors: readonly Factor[], host: string) {
  return passkeysOf(factors, host).map(({ credential: id }) => ({ id }))
}
