/** The table of ordeals; one file each. */
import { kill } from './kill.ts'
import { activations } from './activations.ts'
import type { Ordeal } from './ordeal.ts'
import { power } from './power.ts'

export const ordeals: readonly Ordeal[] = [kill, power, activations]
