/** Requests to the identity provider of administrators: its answers are bounded, and its URLs are https (specification 34.5). */
import { isLoopback } from '../../base/loopback.ts'

/** Milliseconds. */
const timeout = 10_000
const maxBytes = 512 * 1024

/** It does not answer, or not as an identity provider. */
export class ProviderAway extends Error {
  override readonly name = 'ProviderAway'
}

export async function fetchFromProvider(address: string, options: object): Promise<Response> {
  requireSafe(address)
  try {
    const response = await fetch(address, { ...options, redirect: 'manual', signal: AbortSignal.timeout(timeout) })
    if (response.status >= 500) throw new ProviderAway(`it answered ${response.status}`)
    return new Response(await readBody(response), { status: response.status, headers: response.headers })
  } catch (error) {
    if (error instanceof ProviderAway) throw error
    const { name, cause } = error as Error & { readonly cause?: { readonly code?: string } }
    throw new ProviderAway(name === 'TimeoutError' ? `no answer in ${timeout / 1000} s` : (cause?.code ?? name))
  }
}

/** @throws Error for a URL that others could read or answer */
export function requireSafe(address: string): void {
  const { protocol, hostname } = new URL(address)
  if (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname.replace(/^\[|\]$/g, '')))) return
  throw new Error('its metadata has a URL that is neither https nor on loopback')
}

async function readBody({ body, status }: Response): Promise<Uint8Array<ArrayBuffer> | null> {
  if (!body || status === 204) return null
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > maxBytes) throw new ProviderAway(`it answered more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}
