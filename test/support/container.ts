/**
 * A bound on the memory of processes that a test starts: a cgroup, version 2 or 1, where the test may make one (root); else
 * a heap of that size, which bounds no buffers.
 */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Container {
  readonly kind: 'cgroup v2' | 'cgroup v1' | 'heap only'
  /** Before the program and its arguments. */
  readonly prefix: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** The most that was ever used, in bytes; undefined where nothing counts it. */
  peak(): number | undefined
  /** Processes that the kernel ended for want of memory. */
  kills(): number
  /** Once its processes have ended. */
  remove(): Promise<void>
}

const roots = [
  { kind: 'cgroup v2', root: '/sys/fs/cgroup', limit: 'memory.max', peak: 'memory.peak', events: 'memory.events' },
  {
    kind: 'cgroup v1',
    root: '/sys/fs/cgroup/memory',
    limit: 'memory.limit_in_bytes',
    peak: 'memory.max_usage_in_bytes',
    events: 'memory.oom_control',
  },
] as const

let made = 0

export function openContainer(bytes: number): Container {
  for (const { kind, root, limit, peak, events } of roots) {
    if (!existsSync(`${root}/${kind === 'cgroup v2' ? 'cgroup.controllers' : limit}`)) continue
    made += 1
    const folder = `${root}/ig-test-${process.pid}-${made}`
    try {
      mkdirSync(folder)
      writeFileSync(`${folder}/${limit}`, String(bytes))
    } catch {
      continue // not ours to make
    }
    const read = (name: string) => readFileSync(`${folder}/${name}`, 'utf8')
    return {
      kind,
      prefix: ['/bin/sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', folder],
      env: {},
      peak: () => Number(read(peak)),
      kills: () => Number(/^oom_kill (\d+)/m.exec(read(events))?.[1] ?? 0),
      async remove() {
        for (let tries = 0; tries < 100; tries += 1) {
          try {
            return rmdirSync(folder)
          } catch {
            await sleep(50) // a process that has ended is still counted for a moment
          }
        }
      },
    }
  }
  const env = { NODE_OPTIONS: `--max-old-space-size=${Math.floor(bytes / 2 / 1024 ** 2)}` }
  return { kind: 'heap only', prefix: [], env, peak: () => undefined, kills: () => 0, remove: async () => {} }
}
