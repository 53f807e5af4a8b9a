/** The configuration: one typed document, one schema, all problems at once (specification 2). */

export interface Configuration {
  readonly services: readonly unknown[]
}
