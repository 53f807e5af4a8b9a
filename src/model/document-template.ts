/** A document template: the primitive and collection elements that receive URL values (specification 2). */

export const primitiveTypes = [
  'Binary',
  'Boolean',
  'Character',
  'Date',
  'DateTime',
  'Decimal',
  'Integer',
  'String',
  'Text',
  'Time',
] as const
export type PrimitiveType = (typeof primitiveTypes)[number]

export interface DocumentTemplate {
  readonly name: string
  readonly elements: ReadonlyMap<string, DocumentElement>
}

export interface DocumentElement {
  readonly name: string
  readonly type: PrimitiveType
  readonly isCollection: boolean
  readonly isRequired: boolean
  /** Maximum length of the decoded text in characters, for every type. */
  readonly length: number | undefined
  readonly values: readonly string[] | undefined
  /** Least and greatest value of an Integer or a Decimal, as digits. */
  readonly minimum?: string | undefined
  readonly maximum?: string | undefined
  /** A pattern in RE2 syntax; the whole text must match. */
  readonly pattern?: string | undefined
  /** For descriptions of the API. */
  readonly description?: string | undefined
  readonly examples?: readonly string[] | undefined
}
