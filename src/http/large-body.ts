/**
 * The pieces of a response that is too large for one write. If a client reads too slowly, the rest moves to a file and
 * frees its memory (specification 7.8, 7.9).
 */

import type { FileHandle } from 'node:fs/promises'
import { setTimeout } from '../base/timers.ts'
import type { CacheHold } from '../model/call.ts'
import type { MemoryAccount } from '../model/memory-budget.ts'
import { openNamelessFile, readPieces, writeWhole } from './nameless-file.ts'
import { pieceBytes, type Writer } from './writer.ts'

export interface LargeBody {
  /** The call holds no other reference, so moving them to a file frees them. */
  bytes: Buffer
  /** Not the whole body, which refers to the bytes too. */
  readonly cacheHold: CacheHold | undefined
}

/** Piece of a file: memory that a client which does not read can hold. */
const filePieceBytes = 16 * 1024
/** Bytes moved to a file before checking again whether the client is still connected. */
const moveBytes = 1024 * 1024
/** Milliseconds after which the rest of a piece that the client has not taken moves to a file. */
const patience = 100

/** A piece is valid until the next one is requested. */
export async function* readLarge(body: LargeBody, memory: MemoryAccount, writer: Writer): AsyncGenerator<Buffer> {
  memory.hold(0) // counted as shared from here on
  const shared = memory.budget.share(body.bytes)
  const block = Buffer.allocUnsafeSlow(pieceBytes)
  let file: Promise<FileHandle | undefined> | undefined
  const moveRest = async () => {
    const moved = await moveToFile(body.bytes, memory, writer)
    if (!moved) return undefined
    body.bytes = nothing
    shared.close()
    memory.hold(filePieceBytes)
    return moved
  }
  try {
    while (body.bytes.length > 0) {
      const isHeld = body.cacheHold?.isHeld === true // a file would free nothing
      // A copy: what waits in the socket must not keep the whole response in memory
      const piece = isHeld ? body.bytes.subarray(0, pieceBytes) : block.subarray(0, body.bytes.copy(block))
      body.bytes = body.bytes.subarray(piece.length)
      const rest = body.bytes.length
      const late = setTimeout(() => {
        if (!isHeld && rest > 0) file = moveRest()
      }, patience)
      try {
        yield piece
      } finally {
        clearTimeout(late)
      }
      const moved = await file
      if (moved) yield* readPieces(moved, rest, filePieceBytes)
    }
  } finally {
    shared.close()
    await (await file)?.close()
  }
}

const nothing = Buffer.alloc(0)

/** @returns undefined if the disk is full, the budget of files is exhausted, or the client has left */
async function moveToFile(bytes: Buffer, memory: MemoryAccount, { socket }: Writer): Promise<FileHandle | undefined> {
  if (!memory.holdInFiles(bytes.length)) return undefined
  const file = await openNamelessFile().catch(() => undefined)
  try {
    for (let at = 0; file && at < bytes.length && !socket.destroyed; at += moveBytes)
      await writeWhole(file, bytes.subarray(at, at + moveBytes))
    if (!socket.destroyed) return file
  } catch {
    // the disk is full
  }
  memory.holdInFiles(0)
  await file?.close()
  return undefined
}
