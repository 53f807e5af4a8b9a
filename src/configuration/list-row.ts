/** A list of the configuration that a feature adds, and another form of an operation's handler. */
import type { z } from 'zod'

export interface ListRow {
  /** The schema of an item. */
  readonly schema: z.ZodType
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
