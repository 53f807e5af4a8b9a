/** Chooses among what a server offers by a request's `Accept` and `Accept-Language` (RFC 9110, 12.5.1, 12.5.4). */
import { parseQualities } from './quality.ts'

/**
 * The offered media type that `Accept` prefers; of equal ones the first offered. Parameters of types do not count.
 * @returns undefined if none is acceptable
 */
export function negotiateType(accept: string | undefined, offered: readonly string[]): string | undefined {
  if (accept === undefined || accept.trim() === '') return offered[0]
  const qualities = parseQualities(accept)
  let best: { readonly type: string; readonly quality: number } | undefined
  for (const type of offered) {
    const name = nameOf(type)
    const [group = ''] = name.split('/')
    const quality =
      qualities.get(name) ?? qualities.get(`${group}/*`) ?? qualities.get('*/*') ?? qualities.get('*') ?? 0
    if (quality > (best?.quality ?? 0)) best = { type, quality }
  }
  return best?.type
}

/** `text/csv` of `text/csv; charset=UTF-8` */
export function nameOf(type: string): string {
  return (type.split(';')[0] ?? '').trim().toLowerCase()
}

/** The first tag of `Accept-Language`, in lower case; empty if there is none. */
export function firstLanguage(header: string | undefined): string {
  return /^\s*([a-z]{1,8}(?:-[a-z0-9]{1,8}){0,3}|\*)\s*(?:[,;]|$)/i.exec(header ?? '')?.[1]?.toLowerCase() ?? ''
}
