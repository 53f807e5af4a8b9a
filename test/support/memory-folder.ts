/** Where a run of the tests keeps temporary files: in memory, if the system has room for them there. */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statfsSync, symlinkSync, writeFileSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'

export const place = '/dev/shm'
/** A run takes a quarter of it. */
const room = 4 * 1024 ** 3

/** @returns undefined where there is none, little room, or no program runs in it, as in most containers */
export function makeMemoryFolder(): string | undefined {
  if (!hasRoomInMemory()) return undefined
  const folder = mkdtempSync(join(place, 'ig-tests-'))
  chmodSync(folder, 0o711) // PostgreSQL runs as another user
  const program = join(folder, 'program')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 })
  if (spawnSync(program).status === 0) {
    keepCompileCache(folder)
    return folder
  }
  rmSync(folder, { recursive: true })
  return undefined
}

export function hasRoomInMemory(): boolean {
  return findRoom() >= room && freemem() >= room
}

function findRoom(): number {
  try {
    const { bavail, bsize } = statfsSync(place)
    return bavail * bsize
  } catch {
    return 0
  }
}

/** What `ig` compiled is there for the next run. */
function keepCompileCache(folder: string): void {
  const cache = 'node-compile-cache'
  mkdirSync(join(tmpdir(), cache), { recursive: true })
  symlinkSync(join(tmpdir(), cache), join(folder, cache))
}
