/** A service operation as the pipeline uses it: compiled once from the configuration (specification 2). */

import type { AddressList } from '../base/address-list.ts'
import type { MessageDefinition } from './content/message-definition.ts'
import type { Deprecation, StatedDeprecation } from './deprecation.ts'
import type { DocumentTemplate } from './document-template.ts'
import type { HandlerClass } from './handler.ts'
import type { OperationLimits } from './limit.ts'
import type { CheckBody, ErrorStyle, Method, varyingHeaders } from './operation-terms.ts'
import type { Substitute } from './substitute.ts'
import type { UriTemplate } from './uri/uri-template.ts'
import type { Verification } from './verification.ts'

export interface Operation {
  /** `KEY_VALUE_POST.v1`; without a version `KEY_VALUE_POST`. */
  readonly id: string
  /** `KEY_VALUE_POST`, for handlers and refusals. */
  readonly fullName: string
  /** `KEY_VALUE` */
  readonly name: string
  /** The name in URLs; by default the operation's name. */
  readonly alias: string
  readonly method: Method
  /** `v1`, or `none`. */
  readonly version: string
  /** In URLs: `KEY_VALUE.v1`; without a version its alias. */
  readonly segment: string
  readonly service: string
  readonly verification: Verification
  /** Most specific first; each knows its 1-based index in the configuration. */
  readonly templates: readonly UriTemplate[]
  readonly document: DocumentTemplate | undefined
  readonly request: MessageDefinition
  readonly response: MessageDefinition
  readonly fault: MessageDefinition
  readonly handler: HandlerClass
  /** The handler again, if a feature made it from the definition; undefined for a class of the project. */
  readonly substitute?: Substitute | undefined
  /** Another server answers: the body is streamed to it, and nothing is cached or stored. Undefined means false. */
  readonly forwards?: boolean
  /** The node whose `upstream` made this operation; undefined for operations of the configuration. */
  readonly ofNode?: string | undefined
  /** Checks the beginning of a body that is passed on; undefined: it passes unchecked. */
  readonly checkBody?: CheckBody | undefined
  /** It forwards and has no URI templates: every path matches. Undefined means false. */
  readonly takesEveryPath?: boolean
  readonly logDetail: 'none' | 'header' | 'headerAndDetail'
  /** Names of values that logs show under `ig.log.masking=strict`; undefined: none. */
  readonly logFields?: readonly string[] | undefined
  /** Undefined: `ig.errorStyle` decides. */
  readonly errorStyle: ErrorStyle | undefined
  /** Undefined: not set, which means `shared`, with a warning if the handler reads the caller's identity. */
  readonly cacheKeyPolicy: 'shared' | 'perOperator' | undefined
  /** Media types that the handler can answer with, the preferred one first; undefined: only that of `response`. */
  readonly responseTypes?: readonly string[] | undefined
  /** Headers of the request that are a part of the cache key; undefined: none. */
  readonly cacheVary?: readonly (typeof varyingHeaders)[number][] | undefined
  /** Undefined: not set, which means `ignore`. */
  readonly unknownParameters?: 'ignore' | 'refuse' | undefined
  /** Whether a call may or must have an Idempotency-Key; undefined: the key is ignored. */
  readonly idempotency?: 'accepted' | 'required' | undefined
  /** The kind of transaction of the handler's database. */
  readonly transaction: 'read' | 'write'
  readonly allowsOptions: boolean
  /** Undefined: calls may come from everywhere. */
  readonly allowedAddresses?: AddressList | undefined
  /** Of the handler, in milliseconds; undefined: `ig.limits.handlerTimeout`. */
  readonly timeout?: number | undefined
  /** Milliseconds: a served call that takes longer is slow; undefined: none is. */
  readonly slowAfter?: number | undefined
  /** Bytes of a request body; undefined: `ig.limits.body`. */
  readonly bodyLimit?: number | undefined
  /** The deprecation as configured, which descriptions show; undefined if the operation is not deprecated. */
  readonly statedDeprecation?: StatedDeprecation | undefined
  /** The same, compiled to the headers that announce it. */
  readonly deprecation?: Deprecation | undefined
  /** The limits that apply to its calls; undefined if none does. */
  readonly limits?: OperationLimits | undefined
  /** Names of the permission lists that hold this operation or its service. */
  readonly permittedBy: ReadonlySet<string>
  /** Of its definition: the cache does not use responses of an operation with another fingerprint. */
  readonly fingerprint: string
}
