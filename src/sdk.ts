/**
 * Everything that handlers import: `import { … } from 'integration-gateway'`. Each declaration has its documentation;
 * docs/how-to/handlers.md is the guide. The comments between the exports are the headings of docs/reference/sdk.md.
 */

// Configuration

export type { GatewayDefinition } from './configuration/configuration.ts'
export { defineGateway, defineSampleOperators } from './configuration/define.ts'
export type { SampleOperatorsDefinition } from './configuration/sample-operator.ts'
export { type PassThroughOptions, passThrough } from './features/pass-through/author.ts'

// Handlers

export type { Handler, HandlerClass, HandlerResponse } from './model/handler.ts'
export { SessionTokenHandler } from './model/session-token-handler.ts'

// Context

export type { HandlerContext, HandlerOperator, ServerDescription } from './model/handler.ts'
export type { Broker, TypedBroker } from './model/handler-broker.ts'
export type { HandlerMetrics, MetricLabels } from './model/handler-metrics.ts'
export type { SessionToken } from './model/handler-session-token.ts'
export type { HandlerLog, ProcessContext } from './model/process-context.ts'

// Messages

export { formatDateTime, formatHttpDate } from './base/date-time.ts'
export { Answer, type AnswerHeaders } from './model/content/answer.ts'
export { answerConditional, type RepresentationValidators } from './model/content/answer-conditional.ts'
export type { RequestMessage } from './model/content/message.ts'
export type { ResponseMessage } from './model/content/response.ts'
export type { Schema, SchemaOutput } from './model/content/standard-schema.ts'
export type { UriValue } from './model/primitive.ts'
export type { UriDocument } from './model/uri/uri-document.ts'

// XML

export {
  createXmlDoc,
  isXmlText,
  writeXml,
  type XmlDocument,
  type XmlElement,
  type XmlNode,
  type XmlSelected,
} from './model/content/xml.ts'

// Refusals

export type { RateLimitStatus } from './model/rate-limit-status.ts'
export type { BodyError, RefusalCode, RefusalOptions } from './model/refusal.ts'
export { HandlerRefusal as Refusal } from './model/refusal.ts'
export type { Step } from './model/step.ts'

// Database

export { type Expression, type Generated, type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
export { formatTimestamp } from './base/date-time.ts'
export { bytesColumn, decimalColumn, identityColumn } from './model/column-types.ts'
export { databaseType } from './model/database-type.ts'
export type { HandlerDatabase } from './model/handler-database.ts'
export { asBoolean, asDate, asDecimal } from './model/portable-expressions.ts'

// Calls to other services

export { FetchError, type FetchErrorCode, type FetchOptions } from './model/handler-fetch.ts'

// Resources and settings

export { defineResource } from './model/handler-resource.ts'
export { defineSettings, type Setting, type SettingDefinition, type SettingValue } from './model/handler-setting.ts'
export type { Resource, ResourceContext, ResourceDefinition } from './model/process-context.ts'

// Jobs

export type { Job, JobClass, JobContext } from './features/jobs/job.ts'

// Types of a configuration

export type { AuthoredGateway } from './configuration/configuration.ts'
export type {
  FullNameOf,
  OperationName,
  TemplateIndexOf,
  TypedGateway,
  UriDocumentOf,
  UrlValuesOf,
  ValidGateway,
  VersionOf,
} from './model/typed-operation.ts'
