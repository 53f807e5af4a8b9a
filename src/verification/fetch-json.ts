/** Fetches a JSON document of the identity provider: its keys, its metadata (specification 3.15, 3.16, 3.22). */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { get } from '../base/node-http.ts'
import { nodeHttps } from '../base/node-tls.ts'
import { type AddressKind, type AddressRule, openAddressRule } from '../base/refused-addresses.ts'
import type { Settings } from '../settings.ts'
import { asFetchFailure, FetchFailure } from './fetch-failure.ts'

/** Generous for a metadata document or a hundred keys. */
const maxBytes = 512 * 1024
const timeout = 5_000
const headers = {
  accept: 'application/json, application/jwk-set+json;q=0.9',
  'user-agent': 'integration-gateway',
  connection: 'close', // the next fetch resolves the name again
}

export type FetchSettings = Pick<Settings, 'privateAddresses'>

/** @throws FetchFailure */
export async function fetchJson(address: string, settings: FetchSettings, rule = providerRule(settings)) {
  const url = new URL(address)
  const text = url.protocol === 'data:' ? await (await fetch(url)).text() : await fetchText(url, rule)
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new FetchFailure('notJson')
  }
}

/** By `ig.oauth.privateAddresses`. @param resolveName tests pass their own */
export function providerRule(
  { privateAddresses }: FetchSettings,
  resolveName?: Parameters<typeof openAddressRule>[1],
): AddressRule {
  return openAddressRule(refused[privateAddresses], resolveName)
}

const refused: Readonly<Record<FetchSettings['privateAddresses'], readonly AddressKind[]>> = {
  allow: ['linkLocal'],
  refuse: ['linkLocal', 'unspecified', 'loopback', 'privateUse'],
}

async function fetchText(url: URL, rule: AddressRule): Promise<string> {
  const signal = AbortSignal.timeout(timeout)
  try {
    rule.requireAllowed(url)
    const request = (url.protocol === 'https:' ? nodeHttps().get : get)(url, {
      headers,
      lookup: rule.lookup,
      signal,
    })
    request.on('error', () => {}) // an error after the response also belongs to the response
    // If the provider switches protocols, Node closes the connection without an event
    request.on('upgrade', ({ statusCode = 101 }, socket) => {
      socket.destroy()
      request.emit('error', new FetchFailure('status', statusCode))
    })
    const [response] = (await once(request, 'response', { signal })) as [IncomingMessage]
    return await readText(response).finally(() => response.destroy())
  } catch (error) {
    throw signal.aborted ? new FetchFailure('timedOut') : asFetchFailure(error)
  }
}

export async function readText(response: IncomingMessage): Promise<string> {
  const { statusCode = 0 } = response
  if (statusCode !== 200)
    throw new FetchFailure(statusCode >= 300 && statusCode < 400 ? 'redirected' : 'status', statusCode)
  const chunks: Buffer[] = []
  let size = 0
  const received: AsyncIterable<Buffer> = response
  for await (const chunk of received) {
    size += chunk.byteLength
    if (size > maxBytes) throw new FetchFailure('tooLong')
    chunks.push(chunk)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch {
    throw new FetchFailure('notJson')
  }
}
