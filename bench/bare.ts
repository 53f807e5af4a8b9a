/**
 * The yardstick: a `node:http` server that gives one answer to everything, with the status, headers and body that the
 * gateway once gave. `node:http` itself adds Date, Connection and Keep-Alive, as it does for the gateway. It reads a
 * request's body to its end, and does nothing with it. Run by `run.ts`; takes `{ port, status, headers, body }` as JSON.
 */
import { createServer } from 'node:http'

const { port, status, headers, body } = JSON.parse(process.argv[2] ?? '')

createServer((request, response) => {
  const answer = () => {
    response.writeHead(status, headers)
    response.end(body, 'latin1')
  }
  if (request.method === 'GET') return answer()
  request.resume()
  request.on('end', answer)
}).listen(port, '127.0.0.1')
