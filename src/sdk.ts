/**
 * Everything that handlers import: `import { … } from 'integration-gateway'`. Each declaration has its documentation;
 * docs/how-to/handlers.md is the guide.
 */
export { type Generated, type Kysely, type Selectable, sql } from 'kysely'
export { formatDateTime, formatHttpDate, formatTimestamp } from './base/date-time.ts'
export type { GatewayDefinition } from './configuration/configuration.ts'
export { defineGateway, defineSampleOperators } from './configuration/define.ts'
export type { Job, JobClass, JobContext } from './features/jobs/job.ts'
export { type PassThroughOptions, passThrough } from './features/pass-through/author.ts'
export { bytesColumn, decimalColumn, identityColumn } from './model/column-types.ts'
export { Answer, type AnswerHeaders } from './model/content/answer.ts'
export { answerConditional, type RepresentationValidators } from './model/content/answer-conditional.ts'
export type { RequestMessage } from './model/content/message.ts'
export type { ResponseMessage } from './model/content/response.ts'
export type { Schema, SchemaOutput } from './model/content/standard-schema.ts'
export {
  createXmlDoc,
  isXmlText,
  writeXml,
  type XmlDocument,
  type XmlElement,
  type XmlNode,
  type XmlSelected,
} from './model/content/xml.ts'
export { databaseType } from './model/database-type.ts'
export type {
  Broker,
  Handler,
  HandlerClass,
  HandlerContext,
  HandlerOperator,
  HandlerResponse,
  ServerDescription,
  TypedBroker,
} from './model/handler.ts'
export type { HandlerDatabase } from './model/handler-database.ts'
export { FetchError, type FetchErrorCode, type FetchOptions } from './model/handler-fetch.ts'
export type { HandlerMetrics, MetricLabels } from './model/handler-metrics.ts'
export { defineResource } from './model/handler-resource.ts'
export type { SessionToken } from './model/handler-session-token.ts'
export { defineSettings, type Setting, type SettingDefinition } from './model/handler-setting.ts'
export { asBoolean, asDate, asDecimal } from './model/portable-expressions.ts'
export type { UriValue } from './model/primitive.ts'
export type {
  HandlerLog,
  ProcessContext,
  Resource,
  ResourceContext,
  ResourceDefinition,
} from './model/process-context.ts'
export type { RefusalCode, RefusalOptions } from './model/refusal.ts'
export { HandlerRefusal as Refusal } from './model/refusal.ts'
export { SessionTokenHandler } from './model/session-token-handler.ts'
export type { UriDocument } from './model/uri/uri-document.ts'
