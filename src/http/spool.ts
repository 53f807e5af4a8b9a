/**
 * The body spool: bytes stay in memory up to a limit and then go to a temporary file that has no name any more, so that
 * nothing is left behind however the process ends (specification 5.10).
 */
import type { FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { Readable } from 'node:stream'
import { isMarkedAsUntransferable } from 'node:worker_threads'
import type { SpooledBody } from '../model/call.ts'
import type { MemoryAccount, OpenAccount } from '../model/memory-budget.ts'
import { Refusal } from '../model/refusal.ts'
import { copyEach, openNamelessFile, readPieces, writeWhole } from './nameless-file.ts'

export interface Spool {
  /** Takes ownership of the chunk. Returns a promise if the next chunk must wait for the disk. */
  write(chunk: Buffer): Promise<void> | undefined
  /** Everything written so far. */
  readonly body: SpooledBody
}

/** Chunks below this size are copied together: a client may send each byte as a chunk, and a Buffer costs 300. */
const joinedBytes = 4 * 1024
const blockBytes = 16 * 1024
/** Bytes read from the file at a time. */
const readBytes = 256 * 1024
const noBytes = Buffer.alloc(0)

/** Memory of a longer body is reserved in steps as it grows. */
const unreservedBytes = 16 * 1024
const reserveStep = 64 * 1024

export interface SpoolOptions {
  /** Most that stays in memory. */
  readonly memoryBytes: number
  /** If this account has no memory left, the file is created earlier. */
  readonly openAccount?: OpenAccount | undefined
}

export function openSpool({ memoryBytes, openAccount }: SpoolOptions): Spool {
  let size = 0
  let inFile = 0
  /** What is behind the bytes in the file. The last may be the beginning of the block, so far as that is filled. */
  let chunks: Buffer[] = []
  let block = noBytes
  let filled = 0
  let file: FileHandle | undefined
  /** Memory of chunks in the file. The newest chunk's may also contain later bytes of the body, or the next call. */
  const written = new Set<ArrayBufferLike>()
  let newest: ArrayBufferLike | undefined
  let isClosed = false
  let account: MemoryAccount | undefined
  let room = Math.min(unreservedBytes, memoryBytes)

  function findRoom(): boolean {
    if (size > memoryBytes) return false
    account ??= openAccount?.()
    if (account?.hold(size + reserveStep) === false) return false
    room = Math.min(size + reserveStep, memoryBytes)
    return true
  }

  function keep(chunk: Buffer) {
    const isJoined = size > 0 && chunk.length < joinedBytes
    if (isJoined && filled + chunk.length <= block.length) chunks.pop()
    else {
      block = isJoined ? Buffer.allocUnsafeSlow(blockBytes) : noBytes
      filled = 0
    }
    if (isJoined) filled += chunk.copy(block, filled)
    chunks.push(isJoined ? block.subarray(0, filled) : chunk)
    size += chunk.length
  }

  async function writeToFile(): Promise<void> {
    const pending = chunks
    chunks = []
    block = noBytes
    inFile = size
    try {
      file ??= await openNamelessFile()
      if (isClosed) return await file.close()
      for (const chunk of pending) {
        await writeWhole(file, chunk)
        written.add(chunk.buffer)
      }
      for (const buffer of written) if (buffer !== newest) release(buffer)
      written.clear()
      if (newest) written.add(newest)
    } catch (cause) {
      const reason = `The spool in ${tmpdir()} cannot take the body: ${(cause as Error).message}`
      throw new Refusal('overloaded', reason, { cause })
    }
    account?.close() // what is kept beside the file is a block
  }

  const body: SpooledBody = {
    get size() {
      return size
    },
    async bytes() {
      if (file) return join(body.pieces(), size)
      const [first = noBytes, ...others] = chunks
      return others.length === 0 ? first : Buffer.concat([first, ...others], size)
    },
    stream: () => Readable.from(file ? copyEach(body.pieces()) : chunks, { objectMode: false }),
    async *pieces() {
      if (file) yield* readPieces(file, inFile, readBytes)
      yield* chunks
    },
    async close() {
      if (isClosed) return
      isClosed = true
      chunks = []
      block = noBytes
      account?.close()
      await file?.close()
    },
  }

  return {
    write(chunk) {
      newest = chunk.buffer
      keep(chunk)
      if (file) return size - inFile <= blockBytes ? undefined : writeToFile()
      return size <= room || findRoom() ? undefined : writeToFile()
    },
    body,
  }
}

async function join(pieces: AsyncIterable<Buffer>, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(size)
  let offset = 0
  for await (const piece of pieces) offset += piece.copy(bytes, offset)
  return bytes
}

/**
 * Frees memory immediately. The garbage collector does not track memory outside its heap, and would run only after a
 * hundred megabytes, and then often.
 */
function release(buffer: ArrayBufferLike): void {
  // Node shares out a block of memory among short buffers, and marks it
  if (buffer instanceof ArrayBuffer && !isMarkedAsUntransferable(buffer)) buffer.transfer(0)
}
