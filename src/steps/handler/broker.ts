/** The broker of a handler (specification 2.26, 5.3, 6.8). */
import type { Catalog } from '../../configuration/catalog.ts'
import { FilledResponse } from '../../model/content/response-message.ts'
import type { Broker } from '../../model/handler-broker.ts'
import type { Operation } from '../../model/operation.ts'
import { withVersion } from '../../model/operation-name.ts'
import type { Transaction } from '../../model/transaction.ts'
import { buildUri } from '../../model/uri/build-uri.ts'
import type { Settings } from '../../settings.ts'

export interface CacheDeletion {
  readonly operationId: string
  /** Undefined: of all operators. */
  readonly operator: string | undefined
}

export function openBroker(
  operation: Operation,
  transaction: Transaction,
  catalog: Catalog,
  settings: Pick<Settings, 'gatewayPath' | 'platformName'>,
  deleteCache: (deletion: CacheDeletion) => void,
): Broker {
  const { getUrl, deleteRestCache } = openLinks(catalog, settings, deleteCache)
  return {
    createMessage(operationName, type) {
      if (type !== 'response') throw new Error(`createMessage makes response messages, not ${String(type)}`)
      if (operationName === operation.fullName)
        return new FilledResponse(operation, transaction.id, settings.platformName)
      throw new Error(`${operationName} is not the operation of this request, ${operation.fullName}`)
    },
    getUrl,
    deleteRestCache,
  }
}

/** The part that needs no request. */
export function openLinks(
  catalog: Catalog,
  settings: Pick<Settings, 'gatewayPath'>,
  deleteCache: (deletion: CacheDeletion) => void,
): Pick<Broker, 'getUrl' | 'deleteRestCache'> {
  return {
    getUrl(operationName, version, uriResourceIndex, values) {
      const id = withVersion(operationName, version)
      const target = catalog.operations.get(id)
      if (!target) throw new Error(`There is no operation ${id}`)
      const template = target.templates.find(({ index }) => index === uriResourceIndex)
      if (!template) throw new Error(`${id} has no URI template ${uriResourceIndex}`)
      const node = encodeURIComponent(catalog.defaultNode)
      const connector = `/${settings.gatewayPath}/RESTListeningConnector/${node}/${target.segment}`
      return connector + buildUri(template, values, target.templates)
    },
    async deleteRestCache(operationName, version, { operator } = {}) {
      const operationId = withVersion(operationName, version)
      const target = catalog.operations.get(operationId)
      if (target) deleteCache({ operationId, operator: target.cacheKeyPolicy === 'perOperator' ? operator : undefined })
      return target !== undefined
    },
  }
}
