/** Commands held to one core, so that server and client never share one. */
import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

export const canPin = availableParallelism() > 1 && spawnSync('taskset', ['-V']).error === undefined

/** The command with its arguments, held to the core where the machine can. */
export function pinned(core: number, command: readonly [string, ...string[]]): [string, ...string[]] {
  return canPin ? ['taskset', '-c', String(core), ...command] : [...command]
}
