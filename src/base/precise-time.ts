let origin = performance.timeOrigin
let compared = Number.NEGATIVE_INFINITY

/**
 * The system's time in milliseconds, with a fraction, which `Date` lacks; follows changes of the system clock within a
 * millisecond. Calls, traces, logs and the monitor read this one clock, so that their times agree.
 */
export function preciseTime(): number {
  const passed = performance.now()
  if (passed - compared < 1) return origin + passed
  compared = passed
  const system = Date.now()
  if (Math.abs(origin + passed - system) >= 2) origin = system - passed
  return origin + passed
}
