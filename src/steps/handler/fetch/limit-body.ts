/** An answer whose body is read up to a limit (specification 5.50). */
import { FetchError } from '../../../model/handler-fetch.ts'

export const maxBody = 10 * 1024 * 1024

/**
 * @param onEnd called when all of it was received
 * @throws FetchError `bodyTooLong`: at once if the answer states its length, else when the body is read
 */
export async function limitBody(response: Response, url: URL, onEnd: () => void): Promise<Response> {
  const tooLong = () =>
    new FetchError(
      'bodyTooLong',
      `The answer of ${url.origin} is longer than ${maxBody} bytes: read it with isStreamed`,
    )
  if (Number(response.headers.get('content-length') ?? 0) > maxBody && response.body) {
    await response.body.cancel()
    throw tooLong()
  }
  let size = 0
  const counting = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(piece, controller) {
      size += piece.byteLength
      if (size > maxBody) controller.error(tooLong())
      else controller.enqueue(piece)
    },
    flush: onEnd,
  })
  if (!response.body) onEnd()
  return copyResponse(response, url, response.body?.pipeThrough(counting) ?? null)
}

/** A response of the runtime's own class, whatever class the given one has. */
export function copyResponse(
  response: Response,
  url: URL,
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
): Response {
  const { status, statusText, headers } = response
  const copy = new Response(body, { status, statusText, headers: [...headers] })
  Object.defineProperty(copy, 'url', { value: url.href })
  return copy
}
