/** Finds the listed call that a request to a listener is (specification 44.2, 44.3, 44.5). */
import type { Catalog } from '../../configuration/catalog.ts'
import type { Target } from '../../model/uri/target.ts'
import type { Settings } from '../../settings.ts'
import type { FindTarget } from '../../steps/read-target.ts'
import { checkType } from './check-body.ts'
import { idOf, wsdlId } from './configuration.ts'
import { readStated, refuseActions, refused } from './parameters.ts'

/** A listener's path counts as sent: encoded, or with a parameter, it is another one. */
export function findListener({ gatewayPath }: Settings): FindTarget {
  const place = `/${gatewayPath}/`
  return ({ method, headers }, { rawPath, rawQuery }, catalog) => {
    if (!rawPath.startsWith(place)) return undefined
    const [connector = ''] = rawPath.slice(place.length).split('/', 1)
    const rest = rawPath.slice(place.length + connector.length)
    const listener = catalog.configuration.listeners.find((each) => each.connector === connector)
    if (!listener) return undefined
    const target = { kind: 'operation', rawPath, rawQuery, segment: '', path: [], query: [] } as const
    if (method === 'GET' && listener.wsdl && isWsdl.test(rest + (rawQuery === undefined ? '' : `?${rawQuery}`))) {
      checkType(headers)
      refuseActions(headers)
      return found({ ...target, node: '', service: 'wsdl' }, wsdlId, catalog)
    }
    if (method !== 'POST' || rest !== '') return undefined
    checkType(headers)
    const stated = readStated(headers, rawQuery, listener)
    return found({ ...target, node: stated.to ?? '', service: stated.operation }, idOf(connector, stated), catalog)
  }
}

function found(target: Target, operationId: string, { operations }: Catalog): Target {
  if (!operations.has(operationId)) throw refused(`is not listed: ${operationId}`)
  return { ...target, operationId }
}

/** After the path of the connector. */
const isWsdl =
  /^(?:\?Operation=GetWSDL&wsdl=[\w-]+(?:\.[\w-]+)*|\?Operation=GetSchema&xsd=[\w-]+(?:\.[\w-]+)*|(?:\/\w+)?\/[\w-]+(?:\.[\w-]+)*\.(?:wsdl|xsd))$/
