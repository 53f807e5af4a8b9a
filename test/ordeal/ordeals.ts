/** The table of ordeals; one file each. */
import { activations } from './activations.ts'
import { container } from './container.ts'
import { crowd } from './crowd.ts'
import { edge } from './edge.ts'
import { failover } from './failover.ts'
import { full } from './full.ts'
import { fuzz } from './fuzz.ts'
import { guessing } from './guessing.ts'
import { idempotency } from './idempotency.ts'
import { image } from './image.ts'
import { kill } from './kill.ts'
import { limits } from './limits.ts'
import { looks } from './looks.ts'
import type { Ordeal } from './ordeal.ts'
import { openOutage } from './outage.ts'
import { overload } from './overload.ts'
import { power } from './power.ts'
import { rolling } from './rolling.ts'
import { secrets } from './secrets.ts'
import { upgrade } from './upgrade.ts'
import { walksOfTheConsole } from './walks.ts'
import { without } from './without.ts'
import { writers } from './writers.ts'

export const ordeals: readonly Ordeal[] = [
  kill,
  idempotency,
  openOutage({ seconds: 60 }),
  power,
  rolling,
  full,
  activations,
  container,
  crowd,
  writers,
  fuzz,
  edge,
  secrets,
  upgrade,
  guessing,
  limits,
  overload,
  failover,
  image,
  looks,
  walksOfTheConsole,
  without,
]
