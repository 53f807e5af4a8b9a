/** Reads the filters from the URL and ignores invalid ones, so old links still work (specification 21.8). */

import { refusalCodes } from '../../refusals.ts'
import type { RefusalCode, TransactionFilter } from './api.ts'

export const texts = ['operation', 'operator', 'node', 'method', 'url', 'claimed', 'transactionId'] as const
export const outcomes = ['served', 'refused', 'failed'] as const
/** A filter of the served ones, beside the outcomes. */
export const slow = 'slow'
export const moreFilters = [
  'status',
  'refusal',
  'method',
  'httpStatus',
  'minDuration',
  'isCached',
  'node',
  'from',
  'to',
  'transactionId',
]
export const allFilters = ['outcome', 'last', 'sort', 'operation', 'operator', 'claimed', 'url', ...moreFilters]

/** @param since the time from which on, if the URL has none */
export function readFilter(query: URLSearchParams, since: string | undefined): TransactionFilter {
  const get = (name: string) => query.get(name) ?? ''
  const httpStatus = Number.parseInt(get('httpStatus'), 10)
  const minDuration = Number.parseFloat(get('minDuration'))
  const [from, to] = [readTime(get('from')) ?? since, readTime(get('to'))]
  const outcome = outcomes.find((known) => known === get('outcome'))
  const status = (['Done', 'Error'] as const).find((known) => known === get('status'))
  const isCached = (['true', 'false'] as const).find((known) => known === get('isCached'))
  return {
    ...Object.fromEntries(texts.flatMap((name) => (get(name) === '' ? [] : [[name, get(name)]]))),
    ...(outcome && { outcome }),
    ...(get('outcome') === slow && { isSlow: 'true' as const }),
    ...(status && { status }),
    ...(refusalCodes.some((code) => code === get('refusal')) && { refusal: get('refusal') as RefusalCode }),
    ...(httpStatus >= 100 && httpStatus <= 999 && { httpStatus }),
    ...(minDuration > 0 && { minDuration }),
    ...(isCached && { isCached }),
    ...(from && { from }),
    ...(to && { to }),
  }
}

function readTime(text: string): string | undefined {
  const time = new Date(text)
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}
