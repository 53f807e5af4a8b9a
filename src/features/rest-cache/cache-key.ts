/** The key of a response in the REST cache (specification 6.2, 6.3). */
import { hash } from 'node:crypto'
import { firstLanguage, nameOf, negotiateType } from '../../base/negotiate.ts'
import type { Call } from '../../model/call.ts'
import type { Operation } from '../../model/operation.ts'
import type { Operator } from '../../model/operator.ts'
import { hideSecretParameters } from '../../model/secret-name.ts'
import type { Target } from '../../model/uri/target.ts'
import type { Settings } from '../../settings.ts'

/**
 * Path and query exactly as sent; the operation separates operations, its fingerprint separates their definitions (only
 * a changed operation starts with an empty cache), and the policy may add the operator, and `cacheVary` what the request
 * prefers (6.14). Under `ig.cache.strict` nothing is found that was cached without it (6.9).
 */
export function cacheKey(
  call: Pick<Call, 'headers'>,
  target: Target,
  operation: Operation,
  operator: Operator,
  settings: Pick<Settings, 'cacheStrict'>,
): string {
  const known = writeKey(target, operation, settings)
  const key = operation.cacheVary ? known + variantOf(call, operation) : known
  return operation.cacheKeyPolicy === 'perOperator' ? `${key} ${operator.id}` : key // a raw URL contains no space
}

function writeKey(
  { rawPath, rawQuery }: Target,
  { id, fingerprint }: Operation,
  { cacheStrict }: Pick<Settings, 'cacheStrict'>,
): string {
  return `${id} ${fingerprint}${cacheStrict ? '.strict' : ''} ${rawQuery === undefined ? rawPath : `${rawPath}?${rawQuery}`}`
}

/** After a tab, which no raw URL contains. */
function variantOf({ headers }: Pick<Call, 'headers'>, { cacheVary = [], responseTypes = [] }: Operation): string {
  return cacheVary
    .map((name) => {
      const value = headers[name]
      const text = Array.isArray(value) ? value.join(', ') : value
      return `\t${name === 'accept' ? nameOf(negotiateType(text, responseTypes) ?? 'none') : firstLanguage(text)}`
    })
    .join('')
}

/** The key without its variant: the same for all variants of a URL. */
export function withoutVariant(key: string): string {
  return key.replace(/\t[^ ]*/, '')
}

/** A database index cannot hold a key of 8 KiB. */
export function storeKey(key: string): string {
  return hash('sha256', key)
}

/** The parts of a key, for lists of entries. */
export function readKey(key: string): { readonly url?: string; readonly operator?: string } {
  const [, , raw, ...operator] = key.split(' ') // an operator id may contain a space
  if (raw === undefined) return {}
  const url = hideSecretParameters(raw.split('\t')[0] ?? '')
  return operator.length > 0 ? { url, operator: operator.join(' ') } : { url }
}
