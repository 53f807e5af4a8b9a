/** URI templates: parser, matcher, builder (specification 2). */

export interface UriTemplate {
  /** 1-based, in the order of the configuration. */
  readonly index: number
  readonly source: string
  readonly variables: readonly string[]
}
