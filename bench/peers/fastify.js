/** METADATA_BASIC on Fastify, by its own plugins. Run by `peers.ts`. */
import basicAuth from '@fastify/basic-auth'
import cookie from '@fastify/cookie'
import fastify from 'fastify'
import {
  describeCall,
  findKnown,
  job,
  newSessionId,
  newTraceId,
  newTransactionId,
  path,
  permittedBy,
  verifyCredentials,
} from './job.ts'

const app = fastify({
  http: { optimizeEmptyRequests: true },
  keepAliveTimeout: job.keepAlive * 1000,
  exposeHeadRoutes: false,
})
app.decorateRequest('operator', undefined)
await app.register(cookie)
await app.register(basicAuth, {
  validate(name, password, request, _reply, done) {
    const authorization = request.headers.authorization ?? ''
    request.operator = findKnown(authorization)
    if (request.operator) return done()
    verifyCredentials(authorization, name, password).then((operator) => {
      request.operator = operator
      done(operator ? undefined : new Error('wrong credentials'))
    }, done)
  },
})

app.get(path, {
  onRequest: [app.basicAuth, requirePermission],
  handler(request, reply) {
    const id = newTransactionId()
    reply.setCookie('JSESSIONID', request.cookies.JSESSIONID ?? newSessionId(), {
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
    })
    reply.headers({
      'content-type': job.contentType,
      'x-platform-dms-ecid': newTraceId(),
      'x-platform-dms-rid': '0',
      'ig-transaction-id': id,
      'ig-revision': job.revision,
    })
    reply.serializer(serialize).send({ operator: request.operator, id }) // a string would get a charset
  },
})

const serialize = ({ operator, id }) => describeCall(operator, id)

function requirePermission({ operator }, _reply, done) {
  if (operator?.permissionLists.some((list) => permittedBy.has(list))) return done()
  done(Object.assign(new Error('not authorized'), { statusCode: 403 }))
}

await app.listen({ port: job.port, host: '127.0.0.1' })
