/** The system's time in microseconds, which `Date` lacks; follows changes of the system clock. */
export function microClock(): () => number {
  let origin = performance.timeOrigin
  return () => {
    const time = origin + performance.now()
    const system = Date.now()
    if (time - system < 2 && system - time < 2) return time
    origin = system - performance.now()
    return system
  }
}
