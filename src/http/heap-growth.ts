/**
 * Keeps the heap from growing over a large body: what its handler leaves behind by the million is garbage, and V8 would
 * let it double the old space before it looks (decisions D-84). Without large bodies V8 decides, as that costs calls less.
 */
import { setFlagsFromString } from 'node:v8'
import { collectInSteps } from '../base/collect-garbage.ts'

let largeBodies = 0
let endCollection = () => {}

/** @returns ends it: to be called once */
export function limitHeapGrowth(): () => void {
  largeBodies += 1
  if (largeBodies === 1) {
    setFlagsFromString('--heap-growing-percent=20')
    endCollection = collectInSteps() // the limit counts from a collection on, and V8's first one comes late
  }
  return () => {
    largeBodies -= 1
    if (largeBodies > 0) return
    endCollection()
    setFlagsFromString('--heap-growing-percent=0') // V8's own choice
  }
}
