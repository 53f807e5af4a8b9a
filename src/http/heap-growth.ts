/**
 * Limits the growth of the heap during a large body: its handler leaves millions of garbage objects, and V8 would let
 * them double the old space before it collects (decisions D-84). Otherwise V8 decides, which costs calls less.
 */
import { setFlagsFromString } from 'node:v8'
import { collectInSteps } from '../base/collect-garbage.ts'

let largeBodies = 0
let endCollection = () => {}

/** @returns a function that ends the limit; call it once */
export function limitHeapGrowth(): () => void {
  largeBodies += 1
  if (largeBodies === 1) {
    setFlagsFromString('--heap-growing-percent=20')
    endCollection = collectInSteps() // the limit applies from a collection on, and V8's first one comes late
  }
  return () => {
    largeBodies -= 1
    if (largeBodies > 0) return
    endCollection()
    setFlagsFromString('--heap-growing-percent=0') // V8's own choice
  }
}
