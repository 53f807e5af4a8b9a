/** The zone of all times: the browser's, or UTC. */
import { keep } from './kept.ts'
import { browserZone, useZone, zonePlace } from './moment.tsx'

export function useZoneChoice() {
  const zone = useZone()
  const isUtc = zone === 'UTC'
  return {
    zone,
    other: isUtc ? browserZone : 'UTC',
    toggle: () => keep(zonePlace, isUtc ? '' : 'UTC'),
  }
}
