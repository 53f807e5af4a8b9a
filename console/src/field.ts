/** A field of an item of the configuration, or of an action: what forms and tables know of it. */
import type { Schemas } from './api/client.ts'

export type ListName = Exclude<Schemas['Change']['list'], 'gateway'>

/** A list of the configuration, or an action. */
export type FormName = ListName | 'createOperator' | 'createAdministrator' | 'createToken'

export type FieldKind =
  | 'text'
  | 'password'
  | 'area'
  | 'switch'
  | 'select'
  | 'choice'
  | 'number'
  | 'lines'
  | 'reference'
  | 'references'
  | 'elements'
  | 'rows'

export interface Field {
  /** `responseMessage.contentType` */
  readonly path: string
  readonly label: string
  /** The object that has it: `Response`. */
  readonly group?: string
  readonly kind: FieldKind
  readonly help?: string
  /** Warning shown if there is no value. */
  readonly missing?: string
  /** The default. */
  readonly fallback?: string | number | boolean
  readonly options?: readonly string[]
  /** What each option means. */
  readonly meanings?: Readonly<Record<string, string>>
  /** A new item is not saved without a value. */
  readonly isRequired?: boolean
  /** The fields of which one may be given instead of it. */
  readonly orElse?: readonly string[]
  /** The texts that each row has. */
  readonly columns?: readonly Field[]
  /** The list that a reference names an item of. */
  readonly of?: ListName
}
