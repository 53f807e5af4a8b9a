/** The gateway's clock: relative times count from it, because the browser's may be wrong. */

/** Milliseconds; the header has whole seconds, and an answer takes a while. */
const tolerance = 3000
let ahead = 0
const listeners = new Set<() => void>()

/** Compares the clocks by the Date header of an answer. */
export function noteGatewayTime(response: Response): void {
  const stated = Date.parse(response.headers.get('date') ?? '')
  if (Number.isNaN(stated)) return
  const found = stated + 500 - Date.now()
  const next = Math.abs(found) < tolerance ? 0 : found
  if (Math.abs(next - ahead) < tolerance) return
  ahead = next
  for (const listener of listeners) listener()
}

export const gatewayClock = {
  now: () => Date.now() + ahead,
  /** By how many milliseconds the gateway's clock is ahead of this computer's; 0 within seconds. */
  ahead: () => ahead,
  subscribe(listener: () => void) {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}
