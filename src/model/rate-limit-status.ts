/** What a call has got of its limits, for the headers of its response. */
export interface RateLimitStatus {
  /** `RateLimit-Policy` */
  readonly policies: string
  /** The limit with the fewest calls left. */
  readonly name: string
  readonly remaining: number
  /** Seconds until nothing is spent. */
  readonly reset: number
}
