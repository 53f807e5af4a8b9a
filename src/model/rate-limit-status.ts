/** What a call has left of its limits, for the headers of its response. */
export interface RateLimitStatus {
  /** The value of the header `RateLimit-Policy`. */
  readonly policies: string
  /** The limit with the fewest calls left. */
  readonly name: string
  /** Calls that this limit still allows. */
  readonly remaining: number
  /** Seconds until the limit allows all of its calls again. */
  readonly reset: number
}
