/** METADATA_BASIC on Express, by its own middleware. Run by `peers.ts`. */
import { parse } from 'basic-auth'
import express from 'express'
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

const app = express()
app.disable('x-powered-by')
app.disable('etag')
app.set('query parser', 'simple')
app.get(path, authenticate, requirePermission, (_request, response) => {
  const id = newTransactionId()
  const body = describeCall(response.locals.operator, id)
  response.cookie('JSESSIONID', newSessionId(), { path: '/', httpOnly: true, sameSite: 'lax' })
  response.setHeader('content-type', job.contentType) // `set` would add a charset
  response.setHeader('x-platform-dms-ecid', newTraceId())
  response.setHeader('x-platform-dms-rid', '0')
  response.setHeader('ig-transaction-id', id)
  response.setHeader('ig-revision', job.revision)
  response.setHeader('content-length', Buffer.byteLength(body))
  response.end(body)
})

function authenticate(request, response, next) {
  const authorization = request.headers.authorization ?? ''
  const known = findKnown(authorization)
  if (known) return admit(known, response, next)
  const credentials = parse(authorization)
  if (!credentials) {
    refuse(response)
    return
  }
  verifyCredentials(authorization, credentials.name, credentials.pass)
    .then((operator) => (operator ? admit(operator, response, next) : refuse(response)))
    .catch(next)
}

function admit(operator, response, next) {
  response.locals.operator = operator
  next()
}

function refuse(response) {
  response.status(401).set('www-authenticate', 'Basic realm="platform", charset="UTF-8"').end()
}

function requirePermission(_request, response, next) {
  const { permissionLists } = response.locals.operator
  if (permissionLists.some((list) => permittedBy.has(list))) next()
  else response.status(403).end()
}

const server = app.listen(job.port, '127.0.0.1')
server.keepAliveTimeout = job.keepAlive * 1000
