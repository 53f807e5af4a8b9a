/** What a feature adds to the configuration: a list, another form of an operation's handler, and operations. */
import type { z } from 'zod'
import type { CheckBody, Method } from '../model/operation-terms.ts'

export interface ListRow {
  /** The schema of an item. */
  readonly schema: z.ZodType
  /** The field that identifies an item. Default: `name`. */
  readonly id?: string
  /** If its items name classes of the project: their method. */
  readonly method?: string
  /** Its segment in URLs of administration. */
  readonly path: string
  /** Its title in the OpenAPI document of administration. */
  readonly title: string
  readonly tag: string
  /** An item, for people; with an s, several. */
  readonly noun: string
  readonly example: object
}

export interface HandlerForm {
  readonly schema: z.ZodType
  /** Its member that names a class of the project. */
  readonly reference?: string
}

/** An operation that a feature makes of its part of the configuration. */
export interface FeatureOperation {
  /** What permission lists and limits may name. */
  readonly id: string
  readonly name: string
  readonly version: string
  readonly method: Method
  /** Where the configuration states it: `nodes[0].upstream`. */
  readonly place: string
  /** Lists that hold it, besides those that name it. */
  readonly permissionLists?: readonly string[]
  /** The other fields of an operation. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly alias: string
  readonly ofNode?: string
  readonly checkBody?: CheckBody
}
