/**
 * An edge in a process of its own, which may have few descriptors; tells its URL. `exhaust` takes all descriptors, and
 * tells it when the edge reports this; `free` closes them; `end` tells the events it logged.
 */
import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { openEdge } from './edge.ts'
import { poll } from './poll.ts'

const edge = await openEdge()
const descriptors: number[] = []
const namesOfEvents = () => edge.observations.flatMap((told) => (told.kind === 'event' ? [told.name] : []))
process.send?.(edge.url)
process.on('message', async (message) => {
  if (message === 'exhaust') {
    try {
      for (;;) descriptors.push(openSync(devNull, 'r'))
    } catch {
      await poll(() => namesOfEvents().length > 0)
    }
    process.send?.('exhausted')
  }
  if (message === 'free') {
    for (const descriptor of descriptors) closeSync(descriptor)
    process.send?.('freed')
  }
  if (message === 'end') {
    process.send?.(namesOfEvents())
    await edge.close()
    process.disconnect()
  }
})
