/** The table of ordeals; one file each. */
import { kill } from './kill.ts'
import type { Ordeal } from './ordeal.ts'

export const ordeals: readonly Ordeal[] = [kill]
