/**
 * The timers of the gateway: an error that one throws is a rejected promise, which a serving process logs and survives
 * (specification 17.12). The linter forbids the others in `src`.
 */

export function setTimeout<Args extends unknown[]>(
  work: (...args: Args) => unknown,
  milliseconds: number,
  ...args: Args
): NodeJS.Timeout {
  return globalThis.setTimeout(guard(work), milliseconds, ...args)
}

export function setInterval(work: () => unknown, milliseconds: number): NodeJS.Timeout {
  return globalThis.setInterval(guard(work), milliseconds)
}

export function setImmediate<Args extends unknown[]>(
  work: (...args: Args) => unknown,
  ...args: Args
): NodeJS.Immediate {
  return globalThis.setImmediate(guard(work), ...args)
}

function guard<Args extends unknown[]>(work: (...args: Args) => unknown): (...args: Args) => void {
  return (...args) => {
    try {
      work(...args)
    } catch (error) {
      void Promise.reject(error)
    }
  }
}
