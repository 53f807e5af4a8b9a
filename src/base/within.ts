/** A limit for the time that work may take. */
import { setTimeout } from './timers.ts'

/** @throws what the work throws, or the given error if it takes longer; its end is then ignored */
export async function within<Result>(
  milliseconds: number,
  work: Promise<Result>,
  late: Error = new Error(`not done within ${milliseconds} ms`),
): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(reject, milliseconds, late)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
