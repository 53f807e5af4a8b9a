/** The request target, parsed once from its raw form; everything later uses this one parse (specification 1). */

export interface Target {
  /** Path and query exactly as sent (origin form). */
  readonly rawPath: string
  /** Without the question mark; undefined where the target has none. */
  readonly rawQuery: string | undefined
  readonly node: string
  /** The segment `<operation>.<version>` as sent, decoded: what a refusal repeats. */
  readonly service: string
  readonly alias: string
  /** `v1`; the empty string where the segment has no `.v<number>`. */
  readonly version: string
  /** Decoded segments after `<operation>.<version>`. `/ECHO.v1` → [], `/ECHO.v1/` → [''], `/ECHO.v1/echo/` → ['echo', '']. */
  readonly path: readonly string[]
  /** Decoded name and value pairs, in order. */
  readonly query: readonly (readonly [name: string, value: string])[]
}
