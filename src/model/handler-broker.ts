/** The integration broker, as handlers and jobs use it (specification 5.3, 5.40). The SDK exports all of it. */
import type { ResponseMessage } from './content/response.ts'
import type { UriValue } from './primitive.ts'
import type {
  FullNameOf,
  OperationName,
  TemplateIndexOf,
  TypedGateway,
  UrlValuesOf,
  VersionOf,
} from './typed-operation.ts'

/** Services of the integration broker for handlers. */
export interface Broker {
  /**
   * The response message of the operation that the request names (specification 5.3).
   * @param operationName full name, `ECHO_GET`: `request.operationName`
   * @throws Error for another operation than the request's
   */
  createMessage(operationName: string, type: 'response'): ResponseMessage
  /**
   * Builds the URL path and query of an operation from one of its templates (specification 2.26).
   * @param operationName full name, `ECHO_GET`
   * @param version `v1`
   * @param uriResourceIndex of the template, from 1
   * @param values by variable; an optional variable that is undefined or an empty list is left out
   * @throws Error for an unknown operation or template, and for a value that the template cannot carry
   * @example
   * ```ts
   * import assert from 'node:assert/strict'
   * import type { Handler, HandlerContext, RequestMessage } from 'integration-gateway'
   *
   * export default class Next implements Handler {
   *   onRequest(request: RequestMessage, context: HandlerContext) {
   *     const url = context.broker.getUrl('ECHO_GET', 'v1', 1, { parameter1: 'a b' })
   *     assert.equal(url, '/PSIGW/RESTListeningConnector/LOCAL_NODE/ECHO.v1/echo/a%20b')
   *     const response = context.broker.createMessage(request.operationName, 'response')
   *     response.setContentString(url)
   *     return response
   *   }
   * }
   * ```
   */
  getUrl(
    operationName: string,
    version: string,
    uriResourceIndex: number,
    values: Readonly<Record<string, UriValue | readonly UriValue[] | undefined>>,
  ): string
  /**
   * Removes the cached responses of an operation when the handler's transaction commits; after a rollback they are kept
   * (specification 6.8).
   * @param operationName full name, `CACHED_TIME_GET` @param version `v1`
   * @param options `operator`: only its responses; without the cache key policy `perOperator` these are all
   * @returns whether the operation exists
   */
  deleteRestCache(
    operationName: string,
    version: string,
    options?: { readonly operator?: string | undefined },
  ): Promise<boolean>
}

/** A broker that knows the operations of a configuration. */
export interface TypedBroker<Gateway extends TypedGateway> extends Pick<Broker, 'createMessage'> {
  /** The same as `getUrl` of `Broker`. */
  getUrl<
    Name extends FullNameOf<OperationName<Gateway>>,
    Version extends VersionOf<Gateway, Name>,
    Index extends TemplateIndexOf<Gateway, `${Name}.${Version}`>,
  >(
    operationName: Name,
    version: Version,
    uriResourceIndex: Index,
    values: UrlValuesOf<Gateway, `${Name}.${Version}`, Index>,
  ): string
  /** The same as `deleteRestCache` of `Broker`. */
  deleteRestCache<Name extends FullNameOf<OperationName<Gateway>>>(
    operationName: Name,
    version: VersionOf<Gateway, Name>,
    options?: { readonly operator?: string | undefined },
  ): Promise<boolean>
}
