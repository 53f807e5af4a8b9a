/** Redirections of answers to handlers, followed only on request (specification 5.51). */
import { isSecretHeader } from '../../../model/secret-name.ts'

export interface OutgoingRequest {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array<ArrayBuffer> | undefined
}

/** The request that follows; undefined if the answer is no redirection, or one that no handler could ask for. */
export function followRedirect(request: OutgoingRequest, response: Response): OutgoingRequest | undefined {
  const location = response.headers.get('location')
  if (location === null || ![301, 302, 303, 307, 308].includes(response.status)) return undefined
  if (!URL.canParse(location, request.url.href)) return undefined
  const url = new URL(location, request.url.href)
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined
  const isSame = url.origin === request.url.origin
  const becomesGet =
    (response.status === 303 && request.method !== 'HEAD') || (response.status <= 302 && request.method === 'POST')
  const headers = Object.entries(request.headers).filter(
    ([name]) => (isSame || !isSecretHeader(name)) && !(becomesGet && /^content-/i.test(name)),
  )
  return {
    url,
    method: becomesGet ? 'GET' : request.method,
    headers: Object.fromEntries(headers),
    body: becomesGet ? undefined : request.body,
  }
}
