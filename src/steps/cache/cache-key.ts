/** The key of a response in the REST cache (specification 6.2, 6.3). */
import { hash } from 'node:crypto'
import type { Operation } from '../../model/operation.ts'
import type { Operator } from '../../model/operator.ts'
import { hideSecretParameters } from '../../model/secret-name.ts'
import type { Target } from '../../model/uri/target.ts'

/**
 * Path and query exactly as sent; the operation keeps two operations apart, its fingerprint two definitions of it (a
 * changed operation starts anew, all others keep their entries), the policy may add the operator.
 */
export function cacheKey(target: Target, operation: Operation, operator: Operator): string {
  const url = target.rawQuery === undefined ? target.rawPath : `${target.rawPath}?${target.rawQuery}`
  const key = `${operation.id} ${operation.fingerprint} ${url}`
  return operation.cacheKeyPolicy === 'perOperator' ? `${key} ${operator.id}` : key // a raw URL holds no space
}

/** A database index holds no key of 8 KiB. */
export function storeKey(key: string): string {
  return hash('sha256', key)
}

/** What it was made of, for whoever lists entries. */
export function readKey(key: string): { readonly url?: string; readonly operator?: string } {
  const [, , raw, ...operator] = key.split(' ') // an operator id may hold a space
  if (raw === undefined) return {}
  const url = hideSecretParameters(raw)
  return operator.length > 0 ? { url, operator: operator.join(' ') } : { url }
}
