/** The system's time in microseconds, which `Date` lacks; follows changes of the system clock within a millisecond. */
export function microClock(): () => number {
  let origin = performance.timeOrigin
  let compared = Number.NEGATIVE_INFINITY
  return () => {
    const passed = performance.now()
    if (passed - compared < 1) return origin + passed
    compared = passed
    const system = Date.now()
    if (Math.abs(origin + passed - system) >= 2) origin = system - passed
    return origin + passed
  }
}
