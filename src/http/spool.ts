/**
 * The body spool: bytes stay in memory up to a limit and then go to a temporary file that has no name any more, so that
 * nothing is left behind however the process ends (specification 5.10).
 */
import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { SpooledBody } from '../model/call.ts'
import { limitHeapGrowth } from './heap-growth.ts'

export interface Spool {
  /** Takes the chunk over. A promise where the next chunk has to wait for the disk. */
  write(chunk: Buffer): Promise<void> | undefined
  readonly size: number
  /** After the last write. */
  readonly body: SpooledBody
}

/** Chunks below this size are copied together: a client may send each byte as a chunk, and a Buffer costs 300. */
const joinedBytes = 4 * 1024
const blockBytes = 16 * 1024
/** Of the file, at once. */
const readBytes = 256 * 1024
const noBytes = Buffer.alloc(0)

export function openSpool({ memoryBytes }: { readonly memoryBytes: number }): Spool {
  let size = 0
  let inFile = 0
  /** What is behind the bytes in the file: whole chunks, and then `filled` bytes of the block. */
  let chunks: Buffer[] = []
  let block = noBytes
  let filled = 0
  let file: FileHandle | undefined
  let isClosed = false
  let endHeapLimit: (() => void) | undefined

  const rest = () => (filled === 0 ? chunks : [...chunks, block.subarray(0, filled)])

  function seal() {
    chunks = rest()
    block = noBytes
    filled = 0
  }

  function keep(chunk: Buffer) {
    if (size === 0 || chunk.length >= joinedBytes) {
      seal()
      chunks.push(chunk)
    } else {
      if (filled + chunk.length > block.length) {
        seal()
        block = Buffer.allocUnsafeSlow(blockBytes)
      }
      filled += chunk.copy(block, filled)
    }
    size += chunk.length
  }

  async function writeToFile(): Promise<void> {
    if (!isClosed) endHeapLimit ??= limitHeapGrowth()
    seal()
    const pending = chunks
    chunks = []
    inFile = size
    file ??= await openNamelessFile()
    if (isClosed) return file.close()
    await writeAll(file, pending)
  }

  const body: SpooledBody = {
    get size() {
      return size
    },
    async bytes() {
      const kept = rest()
      if (!file) return kept.length === 1 && kept[0] ? kept[0] : Buffer.concat(kept, size)
      const bytes = Buffer.allocUnsafe(inFile)
      for (let offset = 0; offset < inFile; ) {
        const { bytesRead } = await file.read(bytes, offset, inFile - offset, offset)
        if (bytesRead === 0) throw new Error('The spooled body is shorter than it was')
        offset += bytesRead
      }
      return kept.length === 0 ? bytes : Buffer.concat([bytes, ...kept], size)
    },
    stream() {
      const pieces = file ? readAll(file, inFile, rest(), Buffer.allocUnsafe) : rest()
      return Readable.from(pieces, { objectMode: false })
    },
    async *pieces() {
      const bytes = Buffer.allocUnsafeSlow(file ? Math.min(inFile, readBytes) : 0)
      yield* file ? readAll(file, inFile, rest(), (size) => bytes.subarray(0, size)) : rest()
    },
    async close() {
      if (isClosed) return
      isClosed = true
      chunks = []
      block = noBytes
      filled = 0
      endHeapLimit?.()
      await file?.close()
    },
  }

  return {
    write(chunk) {
      keep(chunk)
      return size - inFile <= (file ? blockBytes : memoryBytes) ? undefined : writeToFile()
    },
    get size() {
      return size
    },
    body,
  }
}

export const emptySpool: SpooledBody = {
  size: 0,
  bytes: async () => Buffer.alloc(0),
  stream: () => Readable.from([]),
  async *pieces() {},
  close: () => undefined,
}

/** Unlinked at once: the system frees it with its descriptor. */
async function openNamelessFile(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'integration-gateway-')) // of mode 0700
  try {
    return await open(join(folder, randomUUID()), 'wx+', 0o600)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A `createReadStream` would close the file for all others when its reader stops early. */
async function* readAll(
  file: FileHandle,
  size: number,
  rest: readonly Buffer[],
  allocate: (size: number) => Buffer,
): AsyncGenerator<Buffer> {
  for (let offset = 0; offset < size; ) {
    const bytes = allocate(Math.min(size - offset, readBytes))
    const { bytesRead } = await file.read(bytes, 0, bytes.length, offset)
    if (bytesRead === 0) throw new Error('The spooled body is shorter than it was')
    offset += bytesRead
    yield bytes.subarray(0, bytesRead)
  }
  yield* rest
}

async function writeAll(file: FileHandle, chunks: readonly Buffer[]): Promise<void> {
  for (const chunk of chunks) {
    for (let offset = 0; offset < chunk.length; ) {
      const { bytesWritten } = await file.write(chunk, offset)
      offset += bytesWritten
    }
    release(chunk)
  }
}

/**
 * Gives the memory of a chunk back at once. The collector does not look at what is outside its heap, and would let a
 * hundred megabytes pass through before it comes.
 */
function release({ buffer, length }: Buffer): void {
  if (buffer.byteLength === length && buffer instanceof ArrayBuffer) buffer.transfer(0)
}
