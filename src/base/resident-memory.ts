/** Bytes of this process in memory. Without a free descriptor the system reports only the highest value so far. */
export function readResidentMemory(): number {
  try {
    return process.memoryUsage.rss()
  } catch {
    return process.resourceUsage().maxRSS * 1024
  }
}
