/** Operations that an import found, from any source, before they become a project (specification 16.6). */
import type { PrimitiveType } from '../../model/document-template.ts'
import type { Method } from '../../model/operation-terms.ts'
import type { Problem } from '../../model/problem.ts'
import type { ChangingCall, RecordedAnswer } from './recording.ts'
import type { Claim } from './verification.ts'

export interface FoundElement {
  readonly type: PrimitiveType
  readonly isCollection?: boolean
  readonly length?: number
  readonly values?: readonly string[]
}

export interface FoundOperation extends Claim {
  readonly service: string
  readonly alias: string
  readonly version: string
  readonly method: Method
  readonly description?: string | undefined
  readonly requestType?: string | undefined
  readonly templates: readonly string[]
  readonly elements: Readonly<Record<string, FoundElement>>
  /** The first match wins. */
  readonly rows: readonly FoundRow[]
  readonly review: readonly TemplateReview[]
  /** Variables whose rows have one recorded value each, with those values: a row for any other can be added. */
  readonly pinned?: ReadonlyMap<string, readonly string[]>
}

export interface FoundRow {
  readonly template: string | undefined
  readonly parameters: Readonly<Record<string, string>>
  /** Values of the request body, by their paths. */
  readonly body?: Readonly<Record<string, string>>
  readonly after?: ChangingCall | undefined
  readonly answer: RecordedAnswer
}

/** How a template was inferred, for review. */
export interface TemplateReview {
  readonly template: string
  readonly requests: number
  readonly example: string
  /** An example as it is served, after the node: `/ECHO.v1/echo/x`. */
  readonly url: string
}

export const nothingFound: ImportedOperations = { operations: [], nodes: [], gatewayPath: undefined, notices: [] }

export interface ImportedOperations {
  readonly operations: readonly FoundOperation[]
  /** A valid setting. */
  readonly gatewayPath: string | undefined
  /** The first is the default local node. */
  readonly nodes: readonly string[]
  /** What was left out or changed, each with its place: `log.entries[3]`. */
  readonly notices: readonly Problem[]
}

export type ImportResult = ImportedOperations & { readonly problems: readonly Problem[] }
