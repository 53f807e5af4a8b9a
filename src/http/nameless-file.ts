/** A temporary file without a name: the system frees it however the process ends (specification 5.10). */
import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Unlinked immediately: the system frees it with its descriptor. */
export async function openNamelessFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `integration-gateway-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  return file
}

/**
 * Reads the first `size` bytes; a piece is valid until the next one is requested. A `createReadStream` whose reader
 * stops early would close the file for all readers.
 */
export async function* readPieces(file: FileHandle, size: number, pieceBytes: number): AsyncGenerator<Buffer> {
  const block = Buffer.allocUnsafeSlow(Math.min(size, pieceBytes))
  for (let offset = 0; offset < size; ) {
    const { bytesRead } = await file.read(block, 0, Math.min(size - offset, block.length), offset)
    if (bytesRead === 0) throw new Error('The spooled body is shorter than it was')
    offset += bytesRead
    yield block.subarray(0, bytesRead)
  }
}

/** For pieces that are valid only until the next one is requested. */
export async function* copyEach(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) yield Buffer.from(piece)
}

export async function writeWhole(file: FileHandle, chunk: Buffer): Promise<void> {
  for (let offset = 0; offset < chunk.length; ) offset += (await file.write(chunk, offset)).bytesWritten
}
