/** The table of ordeals; one file each. */
import type { Ordeal } from './ordeal.ts'

export const ordeals: readonly Ordeal[] = []
