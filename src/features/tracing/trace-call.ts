/**
 * The spans of a traced call: one for the call, and below it one for each step that it passed (specification 20.13).
 */
import { showLine } from '../../base/escape.ts'
import { type AnsweredCall, readableOf } from '../../model/call-record.ts'
import { methods } from '../../model/operation-terms.ts'
import type { Wait } from '../../model/timeline.ts'
import { matchUriTemplates } from '../../model/uri/match-uri-template.ts'
import type { Masking } from '../../observe/masking/masking.ts'

/** The names of attributes: OpenTelemetry's own if it has some. */
export function describeCall({ call, transaction, reply, refusal, streamed }: AnsweredCall, masking: Masking) {
  const { operation, id, revision, isCached, isSecure } = transaction
  const method = (methods as readonly string[]).includes(call.method) ? call.method : '_OTHER'
  const isFault = reply.status >= 500 || streamed?.failure !== undefined
  const [path = '', ...query] = showLine(masking.url(call.target, readableOf(transaction)), 2000).split('?')
  const [, address, port] = /^\[?([^\]]*?)\]?(?::(\d+))?$/.exec(String(call.headers.host ?? '')) ?? []
  const attributes = {
    'http.request.method': method,
    'http.response.status_code': reply.status,
    'url.path': path,
    'url.query': query.length > 0 ? query.join('?') : undefined,
    'url.scheme': isSecure ? 'https' : 'http',
    'server.address': address || undefined,
    'server.port': port ? Number(port) : undefined,
    'client.address': call.remoteAddress,
    'network.peer.address': call.proxy,
    'http.route': routeOf(transaction),
    'ig.operation': operation?.id,
    'ig.service': operation?.service,
    'ig.transaction_id': id,
    'ig.revision': revision,
    'ig.cached': isCached,
    'ig.replay': reply.replay,
    'http.response.body.size': streamed?.bytes,
    'ig.refusal': refusal?.code,
    'error.type': isFault ? (refusal?.code ?? String(reply.status)) : undefined,
  }
  return { name: operation?.id ?? (method === '_OTHER' ? 'HTTP' : method), attributes, isFault }
}

/** The template of the whole path, without the query; undefined where none matched. */
function routeOf({ target, operation, uri }: AnsweredCall['transaction']): string | undefined {
  if (target?.kind !== 'operation' || target.operationId !== undefined || !operation) return undefined
  const { templates } = operation
  const template = uri
    ? templates.find(({ index }) => index === uri.uriResourceIndex)
    : matchUriTemplates(templates, target)?.template // refused before it was bound
  if (!uri && !template) return undefined
  const below = (template?.source ?? '').replace(/(?:\?|\{[?&]).*$/s, '')
  const connector = target.rawPath
    .split('/')
    .slice(0, -target.path.length - 2)
    .join('/')
  const service = operation.ofNode === undefined ? operation.segment : '{operation}'
  const path = `${connector}/${target.node}/${service}`
  return below === '' || below.startsWith('/') ? `${path}${below}` : `${path}/${below}`
}

/** By OpenTelemetry's conventions for databases: no SQL and no value. */
export function describeStatement({ summary, failure }: Wait, system: string) {
  const [operation] = summary.split(' ')
  return {
    'db.system.name': system,
    'db.operation.name': operation,
    'db.query.summary': summary,
    'db.response.status_code': failure !== undefined && /^[\dA-Z]{5}$/.test(failure) ? failure : undefined,
    'error.type': failure,
  }
}
