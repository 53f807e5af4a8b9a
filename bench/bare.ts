/**
 * The yardstick: a `node:http` server that gives one answer to everything, with the status, headers and body that the
 * gateway once gave, all constant. `node:http` itself adds Date, Connection and Keep-Alive, as it does for the gateway,
 * and has the gateway's options. A request's body is read to its end, and nothing is done with it. Run by `servers.ts`;
 * takes `{ port, keepAlive, status, headers, body }` as JSON, the body in base64. A long body is one Buffer, which each
 * answer ends: `{ fill: { bytes, text } }` in place of it.
 */
import { createServer } from 'node:http'

const { port, keepAlive, status, headers, body, fill } = JSON.parse(process.argv[2] ?? '')
const bytes = fill ? Buffer.alloc(fill.bytes, fill.text) : Buffer.from(body, 'base64').toString('latin1')
const options = { keepAliveTimeout: keepAlive * 1000, optimizeEmptyRequests: true, noDelay: true }

createServer(options, (request, response) => {
  const answer = () => {
    response.writeHead(status, headers)
    response.end(bytes, 'latin1')
  }
  if (request.method === 'GET') return answer()
  request.resume()
  request.on('end', answer)
}).listen(port, '127.0.0.1')
