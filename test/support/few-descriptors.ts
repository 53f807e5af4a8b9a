/** An edge in a process of its own, which may have few descriptors; tells its URL, and at the end the events it logged. */
import { openEdge } from './edge.ts'

const edge = await openEdge()
process.send?.(edge.url)
process.once('message', async () => {
  process.send?.(edge.observations.flatMap((told) => (told.kind === 'event' ? [told.name] : [])))
  await edge.close()
  process.disconnect()
})
