/** Fetches a JSON document of the identity provider: its keys, its metadata (specification 3.15, 3.16). */

/** Generous for a metadata document or a hundred keys. */
const maxBytes = 512 * 1024
const timeout = 5_000

/** @throws Error saying what went wrong, fit for a log */
export async function fetchJson(url: string): Promise<unknown> {
  const response = await fetch(url, {
    headers: { accept: 'application/json, application/jwk-set+json;q=0.9' },
    redirect: 'error', // trust was given to this address, not to another one that it names
    signal: AbortSignal.timeout(timeout),
  }).catch(asPlainError)
  if (!response.ok) {
    await response.body?.cancel()
    throw new Error(`status ${response.status}`)
  }
  return JSON.parse(await readText(response).catch(asPlainError))
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > maxBytes) throw new Error(`the document is longer than ${maxBytes} bytes`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** `fetch` says no more than "fetch failed"; what an administrator needs is the cause. */
function asPlainError(error: unknown): never {
  if (!(error instanceof Error)) throw error
  if (error.name === 'TimeoutError') throw new Error(`no answer within ${timeout / 1000} seconds`)
  const cause = error.cause as NodeJS.ErrnoException | undefined
  throw new Error(cause?.message || cause?.code || error.message, { cause: error }) // two refused addresses have no message
}
