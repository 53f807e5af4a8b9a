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

export interface Spool {
  /** A promise where the next chunk has to wait for the disk. */
  write(chunk: Buffer): Promise<void> | undefined
  readonly size: number
  /** After the last write. */
  readonly body: SpooledBody
}

export function openSpool({ memoryBytes }: { readonly memoryBytes: number }): Spool {
  const chunks: Buffer[] = []
  let size = 0
  let file: FileHandle | undefined
  let isClosed = false

  async function writeToFile(chunk: Buffer): Promise<void> {
    file ??= await openNamelessFile()
    if (isClosed) return file.close()
    const pending = [...chunks.splice(0), chunk]
    await writeAll(file, pending)
  }

  const body: SpooledBody = {
    get size() {
      return size
    },
    async bytes() {
      if (!file) return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size)
      const bytes = Buffer.allocUnsafe(size)
      for (let offset = 0; offset < size; ) {
        const { bytesRead } = await file.read(bytes, offset, size - offset, offset)
        if (bytesRead === 0) throw new Error('The spooled body is shorter than it was')
        offset += bytesRead
      }
      return bytes
    },
    stream() {
      if (file) return Readable.from(readFile(file, size), { objectMode: false })
      return Readable.from(chunks, { objectMode: false })
    },
    async close() {
      if (isClosed) return
      isClosed = true
      chunks.length = 0
      await file?.close()
    },
  }

  return {
    write(chunk) {
      size += chunk.length
      if (!file && size <= memoryBytes) {
        chunks.push(chunk)
        return undefined
      }
      return writeToFile(chunk)
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
  close: async () => {},
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
async function* readFile(file: FileHandle, size: number): AsyncGenerator<Buffer> {
  for (let offset = 0; offset < size; ) {
    const bytes = Buffer.allocUnsafe(Math.min(size - offset, 256 * 1024))
    const { bytesRead } = await file.read(bytes, 0, bytes.length, offset)
    if (bytesRead === 0) throw new Error('The spooled body is shorter than it was')
    offset += bytesRead
    yield bytes.subarray(0, bytesRead)
  }
}

async function writeAll(file: FileHandle, chunks: readonly Buffer[]): Promise<void> {
  for (const chunk of chunks) {
    for (let offset = 0; offset < chunk.length; ) {
      const { bytesWritten } = await file.write(chunk, offset)
      offset += bytesWritten
    }
  }
}
