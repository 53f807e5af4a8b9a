/** What configuration, settings and pipeline share: closed sets and bounds (specification 2). */

export const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD'] as const
export type Method = (typeof methods)[number]

export const errorStyles = ['observed', 'standard'] as const
export type ErrorStyle = (typeof errorStyles)[number]

/** Request headers that `cacheVary` can make part of the cache key. */
export const varyingHeaders = ['accept', 'accept-language'] as const

/** Readers of calls keep only the first part of a body. */
export const loggedBodyBytes = 64 * 1024

/** @param read what a handler read that the cache key does not contain */
export function adviseCacheKey(read: readonly string[]): string {
  const canVary = read.every((name) => (varyingHeaders as readonly string[]).includes(name))
  return `Set cacheKeyPolicy to shared or perOperator${canVary ? `, or add ${read.join(', ')} to cacheVary` : ''}`
}

/**
 * Refuses a body by its beginning, before anything of the call is passed on. @returns whether it needs more of it
 * @throws Refusal
 */
export type CheckBody = (beginning: Buffer, isWhole: boolean) => boolean
