/** Frees the memory of long bodies while they are passed on. */
import { isMarkedAsUntransferable } from 'node:worker_threads'

/**
 * For pieces of a body in the order in which a socket reads them: frees a block of memory when a piece of the next block
 * has been used. The garbage collector does not track memory outside its heap, and would run only after a hundred
 * megabytes.
 * @returns a function to call with each piece that has been used
 */
export function releaseBuffers(): (used: Buffer) => void {
  let last: ArrayBufferLike | undefined
  return ({ buffer }) => {
    // Node shares out a block of memory among short buffers, and marks it
    if (last instanceof ArrayBuffer && last !== buffer && !isMarkedAsUntransferable(last)) last.transfer(0)
    last = buffer
  }
}
