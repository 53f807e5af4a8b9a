/** What is asked of the reference operations, and of those of `bench/project`. */
import type { Request } from './wire.ts'

const node = '/PSIGW/RESTListeningConnector/LOCAL_NODE'

/** The operator that calls with credentials; `servers.ts` adds it. */
export const demo = { id: 'DEMO', password: 'demo-password', email: 'demo@example.com' }
export const basic = ['authorization', `Basic ${Buffer.from(`${demo.id}:${demo.password}`).toString('base64')}`]
export const bearer = (token: string) => ['authorization', `Bearer ${token}`]
export const gzip = ['accept-encoding', 'gzip']

export function get(path: string, headers: readonly string[] = []): Request {
  return { method: 'GET', path: `${node}/${path}`, headers, body: '' }
}

export function tenRows(): Request {
  const rows = Array.from(
    { length: 10 },
    (_, index) => `<row><key>key-${index}</key><value>The value of row ${index}, of some length</value></row>`,
  )
  return {
    method: 'POST',
    path: `${node}/KEY_VALUE.v1`,
    headers: [...basic, 'content-type', 'text/xml; encoding="UTF-8"'],
    body: `<?xml version="1.0"?><request>${rows.join('')}</request>`,
  }
}
