/** A call of another listener of the original in an access log (specification 16.19, 44.1). */
import type { Method } from '../../model/operation-terms.ts'
import { parseQuery } from '../../model/uri/target.ts'

export interface ListenerCall {
  readonly connector: string
  /** As an item of `allow`; undefined for a WSDL or schema. */
  readonly allow?: { readonly operation: string; readonly from?: string; readonly to?: string }
  readonly hasPassword: boolean
}

export interface PlacedListener {
  readonly gatewayPath: string
  /** The id of its operation. */
  readonly id: string
  readonly method: Method
  readonly listener: ListenerCall
}

const url = /^\/((?:[\w.~-]+\/)+)(HttpListeningConnector|PeopleSoftServiceListeningConnector)(\/[^?]*)?(?:\?(.*))?$/
/** Those that may pass (44.3): a test holds them against the feature's. */
export const names = new Set(['Operation', 'OperationName', 'From', 'To', 'OperationType', 'Password'])
const operationName = /^[\w-]+(?:\.[\w-]+)*$/
const node = /^\w{0,30}$/

/** @returns what is wrong with it for a call of another listener; undefined if it is none */
export function placeListener(method: string, target: string): PlacedListener | string | undefined {
  const [isListener, place = '', connector = '', rest = '', query = ''] = url.exec(target) ?? []
  if (isListener === undefined) return undefined
  const gatewayPath = place.slice(0, -1)
  const describes = method === 'GET' && connector === 'PeopleSoftServiceListeningConnector'
  if (describes && /\.(?:wsdl|xsd)$|[?&](?:wsdl|xsd)=/.test(target))
    return { gatewayPath, id: `${connector}:wsdl`, method, listener: { connector, hasPassword: false } }
  if (method !== 'POST' || rest !== '') return 'that is no POST to a listener'
  const pairs = readPairs(query)
  if (!pairs) return 'whose URL is malformed'
  const values = new Map(pairs)
  const operation = values.get('Operation') ?? values.get('OperationName')
  if (operation === undefined) return 'whose operation is in a header, which the log does not have'
  const isAsync = (values.get('OperationType') ?? 'sync').toLowerCase() !== 'sync'
  const isTwice = values.size < pairs.length || (values.has('Operation') && values.has('OperationName'))
  if (isAsync || isTwice || !pairs.every(([name]) => names.has(name)))
    return 'whose parameters a guarded listener refuses (44.3)'
  const [from, to] = [values.get('From'), values.get('To')]
  if (!operationName.test(operation) || !node.test(from ?? '') || !node.test(to ?? ''))
    return 'with an operation or a node that no configuration can name'
  const allow = { operation, ...(from && { from }), ...(to && { to }) }
  const id = `${connector}:${operation}:${from ?? ''}:${to ?? ''}`
  return { gatewayPath, id, method, listener: { connector, allow, hasPassword: values.has('Password') } }
}

function readPairs(query: string): ReturnType<typeof parseQuery> | undefined {
  try {
    return parseQuery(query)
  } catch {
    return undefined
  }
}
