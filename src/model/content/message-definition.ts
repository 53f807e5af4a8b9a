/** A message of an operation, as it is configured: its kind, content type and status (specification 2.4). */

export interface MessageDefinition {
  readonly kind: 'nonRowset' | 'document'
  readonly contentType: string
  readonly httpCode: number
}
