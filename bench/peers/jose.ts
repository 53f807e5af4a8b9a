/**
 * `bare.ts` that verifies a bearer token first, by `jose` alone: signature, issuer, times. Run by `peers.ts`; takes
 * `{ port, keepAlive, status, headers, body, keys, issuer }` as JSON, the body in base64.
 */
import { createServer } from 'node:http'
import { createLocalJWKSet, jwtVerify } from 'jose'

const { port, keepAlive, status, headers, body, keys, issuer } = JSON.parse(process.argv[2] ?? '')
const bytes = Buffer.from(body, 'base64').toString('latin1')
const keySet = createLocalJWKSet(keys)
const options = { keepAliveTimeout: keepAlive * 1000, optimizeEmptyRequests: true, noDelay: true }

createServer(options, async (request, response) => {
  try {
    await jwtVerify(request.headers.authorization?.slice('Bearer '.length) ?? '', keySet, {
      issuer,
      algorithms: ['RS256'],
    })
    response.writeHead(status, headers)
    response.end(bytes, 'latin1')
  } catch {
    response.writeHead(401, { 'content-length': 0 })
    response.end()
  }
}).listen(port, '127.0.0.1')
