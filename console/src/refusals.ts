/** The meaning of each refusal, from the gateway's table, which the console's build includes. */
import { type RefusalCode, refusalTable } from '../../src/model/refusal.ts'

export const refusalCodes = Object.keys(refusalTable) as readonly RefusalCode[]

export function meaningOf(code: RefusalCode): string {
  return refusalTable[code].meaning
}
