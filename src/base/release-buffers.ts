/** Gives the memory of long bodies back while they pass. */
import { isMarkedAsUntransferable } from 'node:worker_threads'

/**
 * For pieces of a body as a socket reads them, in order: the memory that a piece is in is freed when a piece of the next
 * memory has been used. The collector does not look at what is outside its heap, and would let a hundred megabytes pass
 * through before it comes.
 * @returns to be called with each piece that has been used
 */
export function releaseBuffers(): (used: Buffer) => void {
  let last: ArrayBufferLike | undefined
  return ({ buffer }) => {
    // Node shares out a block of memory among short buffers, and marks it
    if (last instanceof ArrayBuffer && last !== buffer && !isMarkedAsUntransferable(last)) last.transfer(0)
    last = buffer
  }
}
