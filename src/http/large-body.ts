/**
 * The pieces of a response that is too large for one write. If a client reads too slowly, the rest moves to a file and
 * frees its memory (specification 7.8, 7.9, decisions D-302, D-519).
 */

import type { FileHandle } from 'node:fs/promises'
import { setTimeout } from '../base/timers.ts'
import type { Keeper } from '../model/call.ts'
import type { MemoryAccount } from '../model/memory-budget.ts'
import { openNamelessFile, readPieces, writeWhole } from './nameless-file.ts'
import { inSlice, inSlices } from './turn.ts'
import { pieceBytes, type Writer } from './writer.ts'

export interface LargeBody {
  /** The call holds no other reference, so moving them to a file frees them. */
  bytes: Buffer
  /** Not the whole body, which refers to the bytes too. */
  readonly keeper: Keeper | undefined
}

/** Piece of a file: memory that a client which does not read can hold. */
const filePieceBytes = 16 * 1024
/** Bytes moved to a file before checking again whether the client is still connected. */
const moveBytes = 1024 * 1024
/** Chunks written in one turn while the socket accepts each immediately. */
const mostAtOnce = 4
/** Milliseconds without progress after which the rest moves to a file; 0 when memory is tight. */
const mostStill = 100

/** A piece is valid until the next one is requested. */
export async function* readLarge(body: LargeBody, memory: MemoryAccount, writer: Writer): AsyncGenerator<Buffer> {
  const { budget } = memory
  const size = body.bytes.length
  memory.hold(0) // counted as shared from here on
  const shared = budget.share(body.bytes)
  let atOnce = 0
  let isPrompt = true // until the client is late once
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
      if (atOnce % mostAtOnce === 0) await new Promise<void>(inSlice)
      const mayMove = body.keeper?.isKept !== true // otherwise a file would free nothing
      const isWhole = mayMove && isPrompt && shared.isHeld && budget.keepWhole(size)
      const block = mayMove && !isWhole ? takeBlock() : undefined
      const piece = block ? block.subarray(0, body.bytes.copy(block)) : body.bytes.subarray(0, pieceBytes)
      body.bytes = body.bytes.subarray(piece.length)
      const rest = body.bytes.length
      const onLate = () => {
        isPrompt = false
        if (!isWhole && rest > 0) file = moveRest()
      }
      const { waits } = writer
      const late = mayMove ? setTimeout(onLate, shared.isHeld && !budget.isTight ? mostStill : 0) : undefined
      try {
        yield piece
      } finally {
        clearTimeout(late)
        if (isWhole) budget.leaveWhole(size)
        if (block) leave(block)
      }
      atOnce = writer.waits === waits ? atOnce + 1 : 0
      const moved = await file
      if (moved) yield* inSlices(readPieces(moved, rest, filePieceBytes))
    }
  } finally {
    shared.close()
    await (await file)?.close()
  }
}

const nothing = Buffer.alloc(0)

/** Reused, because allocating a block for each piece would cost more than writing it. */
const freeBlocks: Buffer[] = []
const mostFree = 8
/** A client that does not read keeps a block: beyond this number they are short, covered by a connection's memory (D-307). */
const mostBlocks = 32
const shortBlockBytes = 64 * 1024
let blocks = 0

function takeBlock(): Buffer {
  blocks += 1
  if (blocks > mostBlocks) return Buffer.allocUnsafeSlow(shortBlockBytes)
  return freeBlocks.pop() ?? Buffer.allocUnsafeSlow(pieceBytes)
}

function leave(block: Buffer): void {
  blocks -= 1
  if (block.length === pieceBytes && freeBlocks.length < mostFree) freeBlocks.push(block)
}

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
