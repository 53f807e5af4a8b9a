/** Verifies a first password by a Basic operation of the original (specification 37.9 to 37.11). */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { nodeHttps } from '../../base/node-tls.ts'
import type { Settings } from '../../settings.ts'
import { asFetchFailure, FetchFailure } from '../../verification/fetch-failure.ts'
import { readText } from '../../verification/fetch-json.ts'

const timeout = 5_000

export function openUpstream({ upstream = '', upstreamField, upstreamCa }: Settings['passwords']) {
  const ca = upstreamCa === undefined ? undefined : readFileSync(upstreamCa)

  return async (id: string, password: string): Promise<boolean> => {
    const credentials = Buffer.from(`${id}:${password}`).toString('base64')
    const headers = {
      accept: 'application/json',
      authorization: `Basic ${credentials}`,
      'user-agent': 'integration-gateway',
      connection: 'close',
    }
    const signal = AbortSignal.timeout(timeout)
    try {
      const request = nodeHttps().get(upstream, { agent: false, headers, ca, signal })
      request.on('error', () => {}) // an error after the response also belongs to the response
      const [response] = (await once(request, 'response', { signal })) as [IncomingMessage]
      try {
        if (response.statusCode === 401) return false
        const text = await readText(response)
        if (!/^application\/json *(?:;|$)/i.test(response.headers['content-type'] ?? ''))
          throw new FetchFailure('notJson')
        if (valueAt(text, upstreamField) === id) return true
      } finally {
        response.destroy()
      }
    } catch (error) {
      throw signal.aborted ? new FetchFailure('timedOut') : asFetchFailure(error)
    }
    throw new FetchFailure('otherOperator', upstreamField)
  }
}

function valueAt(text: string, field: string): unknown {
  try {
    return field.split('.').reduce((value: unknown, name) => Object(value)[name], JSON.parse(text))
  } catch {
    throw new FetchFailure('notJson')
  }
}
