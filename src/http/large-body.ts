/**
 * The pieces of a response that a socket may not take at once. Of what a client leaves waiting, the rest goes to a file
 * (specification 7.8, 7.9, decisions D-302, D-519).
 */
import type { FileHandle } from 'node:fs/promises'
import type { Keeper } from '../model/call.ts'
import type { MemoryAccount } from '../model/memory-budget.ts'
import { openNamelessFile, readPieces, writeWhole } from './nameless-file.ts'
import { inSlice, inSlices } from './turn.ts'
import { pieceBytes, type Writer } from './writer.ts'

export interface LargeBody {
  /** Nothing else holds them for this call: what is moved to a file is free. */
  bytes: Buffer
  /** Not the whole body: that has the bytes too. */
  readonly keeper: Keeper | undefined
}

/** Of a file: what waits in the socket of a client that does not read. */
const filePieceBytes = 16 * 1024
/** Moved to a file before the client is looked at again. */
const moveBytes = 1024 * 1024
/** Chunks written in one turn while the socket accepts each immediately. */
const mostAtOnce = 4
/** Milliseconds that a reader may stand still before the rest goes to a file; none where memory is tight. */
const patience = 100

/** A piece is valid until the next one is requested: then the socket has taken it. */
export async function* readLarge(body: LargeBody, memory: MemoryAccount, writer: Writer): AsyncGenerator<Buffer> {
  const { budget } = memory
  const size = body.bytes.length
  memory.hold(0) // counted as shared from here on
  const shared = budget.share(body.bytes)
  let atOnce = 0
  let isPrompt = true // as long as it lets no piece wait
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
      const mayMove = body.keeper?.isKept !== true // else a file would free nothing
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
      const late = mayMove ? setTimeout(onLate, shared.isHeld && !budget.isTight ? patience : 0) : undefined
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

/** Used again and again: a new copy of each piece would cost more than writing it. */
const freeBlocks: Buffer[] = []
const mostFree = 8
/** Few at a time, because a client that does not read may keep one; further ones are short: the memory of a connection covers those (D-307). */
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

/** Undefined where the disk takes no more, or has enough of such, or the client left meanwhile. */
async function moveToFile(bytes: Buffer, memory: MemoryAccount, { socket }: Writer): Promise<FileHandle | undefined> {
  if (!memory.holdInFiles(bytes.length)) return undefined
  const file = await openNamelessFile().catch(() => undefined)
  try {
    for (let at = 0; file && at < bytes.length && !socket.destroyed; at += moveBytes)
      await writeWhole(file, bytes.subarray(at, at + moveBytes))
    if (!socket.destroyed) return file
  } catch {
    // no room
  }
  memory.holdInFiles(0)
  await file?.close()
  return undefined
}
