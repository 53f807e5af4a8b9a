/** The URI document: URL values by element name, checked and typed (specification 2). */

/** Integer and Decimal → number (Decimal beyond 15 digits stays a string), Boolean → boolean, Binary → Buffer, the others → string. */
export type UriValue = string | number | boolean | Buffer

export interface UriDocument {
  /** The index of the template that matched, from 1. */
  readonly uriResourceIndex: number
  /** The value of a primitive, the values of a collection; undefined where the request carried none. */
  readonly values: Readonly<Record<string, UriValue | readonly UriValue[] | undefined>>
}
