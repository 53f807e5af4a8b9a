/**
 * The yardstick of a pass-through: `node:http` in, `undici` out, and nothing else. Takes the port and the origin of the
 * other server. Run by `pass-through.ts`.
 */
import { createServer } from 'node:http'
import { pipeline } from 'node:stream'
import { Pool } from 'undici'

const [port, origin = ''] = process.argv.slice(2)
const pool = new Pool(origin, { connections: 256 })

createServer({ noDelay: true }, async (request, response) => {
  const { method = 'GET', url = '/', headers } = request
  const { host, connection, ...rest } = headers
  const body = method === 'GET' ? null : request
  const answer = await pool.request({ method: method as 'GET', path: url, headers: rest, body })
  if (response.destroyed) return void answer.body.on('error', () => {}).destroy()
  const { connection: _, 'keep-alive': __, ...answered } = answer.headers
  response.writeHead(answer.statusCode, answered)
  pipeline(answer.body, response, () => {})
}).listen(Number(port), '127.0.0.1')
