/**
 * The body of a call given on a command line or in a form: it is complete from the start (specification 15.1, 19.11).
 */
import type { SpooledBody } from '../model/call.ts'
import { Refusal } from '../model/refusal.ts'
import { wholeBody } from '../steps/read-message.ts'

/** The limit of HTTP applies. @param stated the `Content-Length`, if the body itself is not given */
export async function holdBody(body: Buffer, maxBodyBytes: number, stated = 0): Promise<SpooledBody> {
  if (Math.max(body.length, stated) > maxBodyBytes) {
    const detail = `The request body is larger than ${maxBodyBytes} bytes.`
    throw new Refusal('bodyTooLarge', 'body over the limit', { detail })
  }
  return wholeBody(body)
}
