/**
 * What a process wrote to its database and when it forced that to the disk, as `strace` saw it; and the files as a failure of
 * power at any moment may leave them: of what was not forced, any sector is there or not.
 */
import { createReadStream } from 'node:fs'
import { basename, dirname } from 'node:path'
import { createInterface } from 'node:readline'

export type DiskEvent =
  | { readonly kind: 'write'; readonly name: string; readonly offset: number; readonly data: Buffer }
  | { readonly kind: 'truncate'; readonly name: string; readonly size: number }
  /** Of a file, or of the folder with its names. */
  | { readonly kind: 'sync'; readonly name: string }
  /** Text that went to a socket. */
  | { readonly kind: 'sent'; readonly text: string }

export const straceOptions = [
  ...['-D', '-f', '-qq', '-y', '-xx', '--seccomp-bpf', '-s', '10000000'],
  ...['-e', 'trace=pwrite64,write,writev,fsync,fdatasync,ftruncate', '-e', 'signal=none'],
]

/** @param database of whose files, in the order of the trace; what began counts as begun, and a sync only when it has ended */
export async function readTrace(trace: string, database: string): Promise<readonly DiskEvent[]> {
  const events: DiskEvent[] = []
  const [folder, main] = [dirname(database), basename(database)]
  const nameOf = (path: string) =>
    path === folder ? '' : dirname(path) === folder && basename(path).startsWith(main) ? basename(path) : undefined
  const syncing = new Map<string, string>()
  for await (const line of createInterface({ input: createReadStream(trace) })) {
    const resumed = /^(\d+) +<\.\.\. f(?:data)?sync resumed>.*= 0$/.exec(line)
    const begun = resumed ? undefined : /^(\d+) +(\w+)\(\d+<([^>]*)>/.exec(line)
    if (resumed) {
      const name = syncing.get(resumed[1] ?? '')
      if (name !== undefined) events.push({ kind: 'sync', name })
    }
    if (!begun) continue
    const [head, thread = '', call = '', hexPath = ''] = begun
    const path = fromHex(hexPath).toString()
    const rest = line.slice(head.length)
    if (call.startsWith('write') && path.startsWith('socket:')) {
      const text = [...rest.matchAll(/"([^"]*)"/g)].map(([, hex = '']) => fromHex(hex).toString('latin1')).join('')
      events.push({ kind: 'sent', text })
    }
    const name = nameOf(path)
    if (name === undefined) continue
    if (call === 'pwrite64') {
      const [, hex = '', offset = ''] = /^, "([^"]*)", \d+, (\d+)/.exec(rest) ?? []
      events.push({ kind: 'write', name, offset: Number(offset), data: fromHex(hex) })
    } else if (call === 'ftruncate') {
      events.push({ kind: 'truncate', name, size: Number(/^, (\d+)/.exec(rest)?.[1]) })
    } else if (call.startsWith('f')) {
      syncing.set(thread, name)
      if (rest.endsWith('= 0')) events.push({ kind: 'sync', name })
    }
  }
  return events
}

function fromHex(text: string): Buffer {
  return Buffer.from(text.replaceAll('\\x', ''), 'hex')
}

export interface AfterPowerLoss {
  readonly files: ReadonlyMap<string, Buffer>
  /** Writes that were not synced to disk, and are missing at least in part. */
  readonly lostWrites: number
}

/**
 * @param before the files when the trace began, all of them on the disk
 * @param cut how many events took place
 * @param forgetsSyncs a disk that lies: nothing is ever forced to it
 */
export function losePower(
  before: ReadonlyMap<string, Buffer>,
  events: readonly DiskEvent[],
  cut: number,
  random: () => number,
  { forgetsSyncs = false } = {},
): AfterPowerLoss {
  const files = new Map([...before].map(([name, bytes]) => [name, openFile(bytes, true)]))
  const open = (name: string) => {
    const file = files.get(name) ?? openFile(Buffer.alloc(0), false)
    files.set(name, file)
    return file
  }
  for (const event of events.slice(0, cut)) {
    if (event.kind === 'sent') continue
    if (event.kind !== 'sync') open(event.name).pending.push(event)
    else if (event.name === '') for (const file of files.values()) file.hasName = true
    else if (!forgetsSyncs) open(event.name).settle(() => 'all')
  }
  let lostWrites = 0
  const choose = () => {
    const kept = (['all', 'none', 'some'] as const)[Math.floor(random() * 3)] ?? 'all'
    if (kept !== 'all') lostWrites += 1
    return kept
  }
  const left = new Map<string, Buffer>()
  for (const [name, file] of files) {
    if (!file.hasName && random() < 0.5) continue
    file.settle(choose, random)
    left.set(name, file.bytes())
  }
  return { files: left, lostWrites }
}

type PendingWrite = Extract<DiskEvent, { kind: 'write' | 'truncate' }>
const sector = 512

function openFile(first: Buffer, hasName: boolean) {
  let content = Buffer.from(first)
  let size = first.length
  const place = (offset: number, data: Buffer) => {
    const end = offset + data.length
    if (end > content.length)
      content = Buffer.concat([content, Buffer.alloc(Math.max(end, 2 * content.length) - content.length)])
    if (offset > size) content.fill(0, size, offset)
    data.copy(content, offset)
    size = Math.max(size, end)
  }
  return {
    hasName,
    pending: [] as PendingWrite[],
    bytes: () => content.subarray(0, size),
    /** @param choose how much of a write got to the disk */
    settle(choose: () => 'all' | 'none' | 'some', random: () => number = Math.random) {
      for (const change of this.pending) {
        const kept = choose()
        if (kept === 'none') continue
        if (change.kind === 'truncate') {
          if (change.size > size) content.fill(0, size)
          size = Math.min(size, change.size)
          continue
        }
        for (let at = 0; at < change.data.length; ) {
          const next = kept === 'all' ? change.data.length : at + sector - ((change.offset + at) % sector)
          if (kept === 'all' || random() < 0.5) place(change.offset + at, change.data.subarray(at, next))
          at = next
        }
      }
      this.pending = []
    },
  }
}
