/** A message of an operation, as it is configured: its kind, content type and status (specification 2.4). */

export interface MessageDefinition {
  readonly kind: 'nonRowset' | 'document'
  readonly contentType: string
  readonly httpCode: number
  /** For descriptions of the API. */
  readonly description?: string | undefined
  /** Bodies as they are sent. */
  readonly examples?: readonly string[] | undefined
}

/** HTTP allows no body for these. */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 205 || status === 304
}
