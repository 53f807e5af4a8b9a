/**
 * Compiles an operation for calls (specification 2.1). Some parts are built at the first call: most of ten thousand
 * operations are never called before the next reload, and compiling all of their templates would triple its pauses.
 */
import { hash } from 'node:crypto'
import { openAddressList } from '../base/address-list.ts'
import { parseSize, parseTime } from '../base/units.ts'
import { listContributions } from '../features.ts'
import type { MessageDefinition } from '../model/content/message-definition.ts'
import type { Deprecation } from '../model/deprecation.ts'
import type { DocumentTemplate } from '../model/document-template.ts'
import type { HandlerClass } from '../model/handler.ts'
import type { OperationLimits } from '../model/limit.ts'
import type { Operation } from '../model/operation.ts'
import { segmentOf } from '../model/operation-name.ts'
import { forwarding, type Substitute } from '../model/substitute.ts'
import { compileTemplates, type UriTemplate } from '../model/uri/uri-template.ts'
import type { OperationDefinition } from './configuration.ts'

export interface OperationParts {
  readonly id: string
  readonly alias: string
  readonly document?: DocumentTemplate | undefined
  readonly handler: HandlerClass
  readonly permittedBy: ReadonlySet<string>
  readonly deprecation?: Deprecation | undefined
  readonly ofNode?: string
  readonly checkBody?: Operation['checkBody']
  readonly limits: OperationLimits | undefined
  /** @returns the one object for all equal ones */
  readonly shareMessage: (message: MessageDefinition) => MessageDefinition
}

export function compileOperation(definition: OperationDefinition, parts: OperationParts): Operation {
  return Object.freeze(new CompiledOperation(definition, parts))
}

class CompiledOperation implements Operation {
  // The fields that a usual call reads come first, so they share lines of the processor's cache: with ten thousand
  // operations, most calls find theirs only in memory. A rarely read one goes to the end
  readonly id: string
  readonly method: Operation['method']
  readonly verification: Operation['verification']
  readonly allowedAddresses: Operation['allowedAddresses']
  readonly allowsOptions: boolean
  readonly limits: OperationLimits | undefined
  readonly idempotency: Operation['idempotency']
  readonly forwards: boolean
  readonly bodyLimit: number | undefined
  readonly fullName: string
  readonly version: string
  readonly handler: HandlerClass
  readonly substitute: Substitute | undefined
  readonly transaction: Operation['transaction']
  readonly timeout: number | undefined
  readonly slowAfter: number | undefined
  readonly response: MessageDefinition
  readonly deprecation: Deprecation | undefined
  readonly cacheKeyPolicy: Operation['cacheKeyPolicy']
  readonly cacheVary: Operation['cacheVary']
  readonly name: string
  readonly alias: string
  readonly segment: string
  readonly service: string
  readonly document: DocumentTemplate | undefined
  readonly request: MessageDefinition
  readonly takesEveryPath: boolean
  readonly ofNode: string | undefined
  readonly checkBody: Operation['checkBody']
  readonly logDetail: Operation['logDetail']
  readonly logFields: Operation['logFields']
  readonly errorStyle: Operation['errorStyle']
  readonly responseTypes: Operation['responseTypes']
  readonly unknownParameters: Operation['unknownParameters']
  readonly permittedBy: ReadonlySet<string>
  readonly #definition: OperationDefinition
  #templates: readonly UriTemplate[] | undefined
  #fault: MessageDefinition | undefined
  #fingerprint: string | undefined

  constructor(definition: OperationDefinition, parts: OperationParts) {
    const { id, alias, document, handler, permittedBy, deprecation, limits, shareMessage } = parts
    const { timeout, bodyLimit, allowedAddresses } = definition
    this.id = id
    this.fullName = `${definition.name}_${definition.method}`
    this.name = definition.name
    this.alias = alias
    this.method = definition.method
    this.version = definition.version
    this.segment = segmentOf(this)
    this.service = definition.service
    this.verification = definition.verification
    this.document = document
    this.request = shareMessage(definition.requestMessage)
    this.response = shareMessage(definition.responseMessage)
    this.handler = handler
    this.substitute = typeof definition.handler === 'string' ? undefined : (handler as Substitute)
    this.forwards = this.substitute !== undefined && this.substitute.state === forwarding
    this.takesEveryPath = this.forwards && definition.uriTemplates.length === 0
    this.ofNode = parts.ofNode
    this.checkBody = parts.checkBody
    this.logDetail = definition.logDetail
    this.logFields = definition.logFields
    this.errorStyle = definition.errorStyle
    this.cacheKeyPolicy = definition.cacheKeyPolicy
    this.responseTypes = definition.responseTypes
    this.cacheVary = definition.cacheVary
    this.unknownParameters = definition.unknownParameters
    // The other server gets the key: an answer kept here would hide what it does with it
    this.idempotency = this.forwards ? undefined : idempotencyOf(definition)
    this.allowsOptions = definition.allowsOptions
    this.allowedAddresses = allowedAddresses && openAddressList(allowedAddresses)
    this.transaction = transactionOf(definition)
    this.timeout = timeout === undefined ? undefined : parseTime(timeout)
    this.bodyLimit = bodyLimit === undefined ? undefined : parseSize(bodyLimit)
    this.slowAfter = slowAfterOf(definition)
    this.deprecation = deprecation
    this.permittedBy = permittedBy
    this.limits = limits
    this.#definition = definition
  }

  get templates(): readonly UriTemplate[] {
    const { uriTemplates } = this.#definition
    this.#templates ??= compileTemplates(uriTemplates.length > 0 ? uriTemplates : ['/'], this.document)
    return this.#templates
  }

  get fault(): MessageDefinition {
    const { faultMessage } = this.#definition
    this.#fault ??= { ...faultMessage, contentType: faultMessage.contentType ?? this.response.contentType }
    return this.#fault
  }

  get statedDeprecation(): Operation['statedDeprecation'] {
    return this.#definition.deprecated
  }

  get fingerprint(): string {
    this.#fingerprint ??= fingerprintOf(this.#definition, this.document)
    return this.#fingerprint
  }
}

type SlowAfterOf = (definition: OperationDefinition) => number | undefined
const slowAfterRules = listContributions<SlowAfterOf>('slowAfterOf')

function slowAfterOf(definition: OperationDefinition): number | undefined {
  return slowAfterRules.map((rule) => rule(definition)).find((after) => after !== undefined)
}

function idempotencyOf({ method, idempotency = 'accepted' }: OperationDefinition): Operation['idempotency'] {
  return method === 'GET' || method === 'HEAD' || idempotency === 'off' ? undefined : idempotency
}

function transactionOf({ method, transaction }: OperationDefinition): Operation['transaction'] {
  return transaction ?? (method === 'GET' || method === 'HEAD' ? 'read' : 'write')
}

function fingerprintOf(definition: OperationDefinition, document: DocumentTemplate | undefined): string {
  const elements = document ? [...document.elements.values()] : []
  return hash('sha256', JSON.stringify([definition, elements]), 'base64url').slice(0, 16)
}
