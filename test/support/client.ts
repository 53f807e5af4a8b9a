/** A plain HTTP client for the wire tests: sends the target as it is written, and gives back all that came. */
import { type Agent, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly rawHeaders: readonly string[]
  readonly bytes: Buffer
  readonly text: string
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  readonly agent?: Agent
  /** Ends the wait for an answer. */
  readonly signal?: AbortSignal
}

/** @param line `GET /PSIGW/…`: method and raw target */
export function send(
  base: string,
  line: string,
  { headers = {}, body, agent, signal }: CallOptions = {},
): Promise<Answer> {
  const [method = 'GET', path = '/'] = line.split(' ')
  const { protocol, hostname, port } = new URL(base)
  const request = protocol === 'https:' ? requestHttps : requestHttp
  const options = { method, path, hostname, port, headers, agent, signal, rejectUnauthorized: false }
  return new Promise((resolve, reject) => {
    const sent = request(options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const bytes = Buffer.concat(chunks)
        const plain = Object.entries(response.headers).map(([name, value]) => [name, String(value)])
        const { statusCode = 0, rawHeaders } = response
        resolve({ status: statusCode, headers: Object.fromEntries(plain), rawHeaders, bytes, text: bytes.toString() })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

export const basic = (id: string, password = `${id.toLowerCase()}-password`) => ({
  authorization: `Basic ${Buffer.from(`${id}:${password}`).toString('base64')}`,
})

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
