/**
 * Reports changed files of a project once they have settled (specification 14.2). The system's events only trigger a
 * scan: a file has changed if its size or time differs from the previous scan.
 */

import { type FSWatcher, watch } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from '../../base/timers.ts'

export interface WatchOptions {
  /** Absolute. */
  readonly folder: string
  /** The gateway itself writes the file. @param path absolute */
  readonly isOwn: (path: string) => boolean
  /** @param files relative to the folder @param since time of the first event, by `performance.now()` */
  readonly onChange: (files: readonly string[], since: number) => void
}

export interface ProjectWatcher {
  /** Scans now, for changes before the first event. */
  poll(): void
  close(): void
}

/** Milliseconds without a further change: an editor that writes in pieces has finished. */
const settling = 40

/** Temporary files of editors and systems. */
const passing = /^\.|~$|\.(?:sw[a-p]|tmp|temp|bak|orig|crdownload|log)$|^#.*#$|^4913$|___jb_\w+___$/

type Snapshot = ReadonlyMap<string, string>

export async function watchProject({ folder, isOwn, onChange }: WatchOptions): Promise<ProjectWatcher> {
  const watchers = new Map<string, FSWatcher>()
  let isClosed = false
  let since: number | undefined
  let timer: NodeJS.Timeout | undefined
  let polling: Promise<void> = Promise.resolve()

  const isIgnored = (name: string, path: string) =>
    passing.test(name) || name === 'node_modules' || path === join(folder, 'data') || isOwn(path)

  const scan = async (): Promise<Snapshot> => {
    const files = new Map<string, string>()
    const folders = new Set<string>()
    const enter = async (path: string, prefix: string): Promise<void> => {
      folders.add(path)
      if (!watchers.has(path) && !isClosed) follow(path)
      const entries = await readdir(path, { withFileTypes: true }).catch(() => [])
      for (const entry of entries) {
        const inner = join(path, entry.name)
        if (isIgnored(entry.name, inner)) continue
        if (entry.isDirectory()) await enter(inner, `${prefix}${entry.name}/`)
        else await note(inner, `${prefix}${entry.name}`)
      }
    }
    const note = async (path: string, name: string) => {
      const found = await stat(path).catch(() => undefined)
      if (found?.isFile()) files.set(name, `${found.size} ${found.mtimeMs} ${found.ino}`)
    }
    await enter(folder, '')
    for (const [path, watcher] of watchers) {
      if (folders.has(path)) continue
      watcher.close()
      watchers.delete(path)
    }
    return files
  }

  const follow = (path: string) => {
    try {
      const watcher = watch(path, (_event, name) => {
        if (name === null || !isIgnored(name, join(path, name))) hint()
      })
      watcher.on('error', () => {}) // the folder is gone: the next scan closes it
      watchers.set(path, watcher)
    } catch {
      // Gone already, or the system's limit of watches is reached: watches the rest.
    }
  }

  const hint = () => {
    if (isClosed) return
    since ??= performance.now()
    clearTimeout(timer)
    timer = setTimeout(() => {
      polling = polling.then(compare)
    }, settling)
  }

  let served = await scan()
  const compare = async () => {
    const seen = await scan()
    const changes = findChanges(served, seen)
    if (changes.some((name) => isFresh(seen.get(name)))) return hint() // another piece may follow
    const noticed = since ?? performance.now()
    since = undefined
    served = seen
    if (changes.length > 0 && !isClosed) onChange(changes, noticed)
  }

  return {
    poll: hint,
    close() {
      isClosed = true
      clearTimeout(timer)
      for (const watcher of watchers.values()) watcher.close()
    },
  }
}

/** Written a moment ago. */
function isFresh(state: string | undefined): boolean {
  const age = Date.now() - Number(state?.split(' ')[1] ?? 0)
  return age >= 0 && age < settling
}

function findChanges(before: Snapshot, after: Snapshot): readonly string[] {
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names].filter((name) => before.get(name) !== after.get(name)).sort()
}
