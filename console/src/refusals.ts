/** What each refusal means, from the table that the gateway answers by. The build of the console takes the table in. */
import { refusalTable } from '../../src/model/refusal.ts'
import type { RefusalCode } from './api/monitor.ts'

export const refusalCodes = Object.keys(refusalTable) as readonly RefusalCode[]

export function meaningOf(code: RefusalCode): string {
  return refusalTable[code].meaning
}
