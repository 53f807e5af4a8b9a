/** The words for what each step of a call found (specification 15.1 to 15.3). */
import type { Gateway } from '../gateway.ts'
import type { Call } from '../model/call.ts'
import type { Operation } from '../model/operation.ts'
import type { Operator } from '../model/operator.ts'
import { findPermission } from '../model/permission.ts'
import type { RateLimitStatus } from '../model/rate-limit-status.ts'
import type { RequestTarget } from '../model/request-target.ts'
import { explainMatch } from '../model/uri/explain-match.ts'
import type { Target } from '../model/uri/target.ts'
import type { UriDocument } from '../model/uri/uri-document.ts'
import { verificationOf } from '../model/verification.ts'
import { findMode } from '../steps/authenticate.ts'
import { findOperations } from '../steps/find-operation.ts'

export interface Finding {
  /** Undefined unless the step has passed. */
  readonly text?: string
  readonly details?: readonly string[]
}

export function reportTarget(target: RequestTarget): { readonly text: string } {
  if (target.kind !== 'operation') return { text: target.meaning }
  const { node, service, path, rawQuery } = target
  const query = rawQuery === undefined ? '' : `, query ${rawQuery}`
  const at = node === '' ? '' : `node ${node}, `
  return { text: `${at}${service}, path ${JSON.stringify(path.join('/'))}${query}` }
}

export function reportOperation(
  operation: Operation | undefined,
  target: Target,
  { catalog }: Pick<Gateway, 'catalog'>,
): Finding {
  if (operation?.ofNode !== undefined)
    return {
      text: `${operation.id}: this gateway has no such operation, and the node ${operation.ofNode} passes it on`,
    }
  if (operation) return { text: `${operation.id} of service ${operation.service}` }
  const there = [...findOperations(target, catalog).keys()]
  const inactive = [...catalog.operations.values()].filter(
    ({ segment, method }) => segment === target.segment && !there.includes(method),
  )
  const details = [
    ...(there.length > 0 ? [`${target.service} has ${there.join(', ')}`] : []),
    ...inactive.map(({ id }) => `${id} is not active`),
  ]
  return { details }
}

/** @param namedBy how the operator was chosen, if it was not authenticated */
export function reportOperator(
  operator: Operator | undefined,
  call: Call,
  operation: Operation,
  namedBy: string | undefined,
): Finding {
  const asked = `verification ${operation.verification}`
  if (!operator) return { details: [asked] }
  const { allowsAnonymous, words } = verificationOf(findMode(call, operation))
  const way = namedBy ?? (allowsAnonymous ? 'the default user' : `by ${words}`)
  return { text: `${operator.id}, ${way}; ${asked}` }
}

export function reportPermission(operator: Operator, operation: Operation): Finding {
  const { isAllowed, reason } = findPermission(operator, operation)
  return isAllowed ? { text: reason } : { details: [reason] }
}

/** As the header `RateLimit` of the response. */
export function reportRateLimit({ name, remaining, reset }: RateLimitStatus): Finding {
  return { text: 'within its limits', details: [`${name}: ${remaining} left, all of it in ${reset} s`] }
}

export function reportUri(
  uri: UriDocument | undefined,
  target: Target,
  { templates, takesEveryPath }: Operation,
): Finding {
  if (target.operationId !== undefined) return { text: 'no URI templates: the call is listed' }
  if (takesEveryPath) return uri ? { text: 'every path is passed on' } : {}
  const details = explainMatch(templates, target).map(({ index, source, isMatch, reason }) => {
    return `${index}  ${source}  ${isMatch ? 'matches' : reason}`
  })
  return uri ? { text: `template ${uri.uriResourceIndex}${writeValues(uri)}`, details } : { details }
}

export function writeValues({ values }: Pick<UriDocument, 'values'>): string {
  const pairs = Object.entries(values).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return pairs.length > 0 ? `, ${pairs.join(', ')}` : ''
}
