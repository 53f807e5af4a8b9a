/**
 * The places of a name and network: a wrong password takes one for as long as its response is delayed, whether or not its client
 * waits (specification 3.25). Places become free one at a time and go to the client that has waited longest, so a
 * guesser who leaves early loses its turn to those who stay.
 */
import { setTimeout } from '../../base/timers.ts'
import { type Presence, present } from './presence.ts'

export interface Places {
  /** Resolves when there is a place. @throws the error of `full` if too many wait or the gateway stops */
  enter(presence: () => Presence): Promise<void>
  /** @param delay of the response in milliseconds; 0 unless the password was wrong */
  leave(delay: number): void
  /** Refuses waiting passwords, and those that would have to wait. */
  release(): void
}

export interface PlacesOptions {
  readonly places: number
  /** Maximum time for which a wrong password takes a place, in milliseconds. */
  readonly maxDelay: number
  /** Maximum number that wait for a place. */
  readonly maxWaiting: number
  /** @param seconds until there is a place, at least 1 */
  full(seconds: number): Error
  now(): number
}

interface Waiting {
  presence(): Presence
  begin(): void
  refuse(error: Error): void
}

export function openPlaces({ places, maxDelay, maxWaiting, full, now }: PlacesOptions): Places {
  /** Milliseconds after which one more place is free. */
  const pace = maxDelay / places
  const waiting = new Set<Waiting>() // in order of arrival
  let verifying = 0
  /** When all places of wrong passwords will be free. */
  let allFree = now()
  let timer: NodeJS.Timeout | undefined
  let isReleased = false

  const takenByWrong = () => Math.max(0, allFree - now()) / pace
  const missing = () => Math.max(0, verifying + 1 + takenByWrong() - places)
  const begin = (one: Waiting) => {
    waiting.delete(one)
    verifying += 1
    one.begin()
  }
  const admit = () => {
    for (const one of waiting) if (one.presence() === 'left') begin(one) // it is not verified, and ends at once
    for (const one of present(waiting)) if (missing() === 0) begin(one)
    clearTimeout(timer)
    const isTimed = waiting.size > 0 && takenByWrong() > 0 // otherwise the end of a verification admits the next
    timer = isTimed ? setTimeout(admit, Math.ceil(missing() * pace)) : undefined
  }
  const refuse = (one: Waiting | undefined) => {
    if (one && waiting.delete(one)) one.refuse(full(Math.max(1, Math.ceil((waiting.size * pace) / 1000))))
  }

  return {
    enter(presence) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const one = { presence, begin: resolve, refuse: reject }
      waiting.add(one)
      if (timer === undefined) admit()
      if (isReleased) refuse(one)
      else if (waiting.size > maxWaiting) refuse([...waiting].find((each) => each.presence() !== 'present') ?? one)
      return promise
    },
    leave(delay) {
      verifying -= 1
      allFree = Math.max(allFree, now()) + delay / places
      if (timer === undefined || missing() === 0) admit()
    },
    release() {
      isReleased = true
      clearTimeout(timer)
      timer = undefined
      for (const one of waiting) refuse(one)
    },
  }
}
