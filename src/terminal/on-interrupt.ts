/** Ctrl-C: what must be removed or said before `ig` ends. */

/** @returns what ends the wait for it */
export function onInterrupt(before: () => void): () => void {
  const interrupt = () => {
    before()
    process.exit(130)
  }
  process.once('SIGINT', interrupt)
  return () => void process.off('SIGINT', interrupt)
}
