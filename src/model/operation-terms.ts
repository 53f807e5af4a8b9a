/** The closed sets that configuration and pipeline share: methods, error styles (specification 2). */

export const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD'] as const
export type Method = (typeof methods)[number]

export const errorStyles = ['observed', 'standard'] as const
export type ErrorStyle = (typeof errorStyles)[number]

/** Request headers that `cacheVary` can make part of the cache key. */
export const varyingHeaders = ['accept', 'accept-language'] as const

/** @param read what a handler read that the cache key does not contain */
export function adviseCacheKey(read: readonly string[]): string {
  const canVary = read.every((name) => (varyingHeaders as readonly string[]).includes(name))
  return `Set cacheKeyPolicy to shared or perOperator${canVary ? `, or add ${read.join(', ')} to cacheVary` : ''}`
}
