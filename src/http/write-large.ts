/**
 * Writes a reply that a socket may not take at once. What a client leaves waiting goes to a file, and it is cut off when it
 * takes nothing for the time-out (specification 7.8, 7.9).
 */
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Keeper } from '../model/call.ts'
import type { MemoryAccount } from '../model/memory-budget.ts'
import { Blocks } from './blocks.ts'
import { openNamelessFile, readPieces, writeWhole } from './nameless-file.ts'
import { inSlice } from './turn.ts'

export interface Client {
  readonly request: { readonly socket: Socket }
  /** Holds the reply until it is written or in a file. */
  readonly memory: MemoryAccount
  /** Milliseconds. */
  readonly responseTimeout: number
}

export interface LargeBody {
  readonly head: string
  /** Nothing else holds them for this call: what is moved to a file is free. */
  bytes: Buffer
  /** Not the whole body: that has the bytes too. */
  readonly keeper?: Keeper | undefined
}

/** Replies up to this size are one write. */
export const largeBytes = 64 * 1024
const nothing = Buffer.alloc(0)
const pieceBytes = 64 * 1024
const widePieceBytes = 256 * 1024
/** Few, because a client that does not read may keep one; the memory of a connection covers the narrow ones (D-307). */
const wide = new Blocks(widePieceBytes, 32, 8)
const narrow = new Blocks(pieceBytes, Number.POSITIVE_INFINITY, 16)
/** Of a file: what waits in the socket of a client that does not read. */
const filePieceBytes = 16 * 1024
/** Pieces that are written in one turn while the socket takes each at once. */
const mostAtOnce = 4
/** Moved to a file before the client is looked at again. */
const moveBytes = 1024 * 1024
/** Milliseconds that a reader may stand still before the rest goes to a file; none where memory is tight. */
const patience = 100

/** Ends early, without an error, where the connection is gone. */
export async function writeLarge(body: LargeBody, client: Client): Promise<void> {
  const { memory, request } = client
  const { budget } = memory
  const size = body.bytes.length
  memory.hold(0) // counted as shared from here on
  const shared = budget.share(body.bytes)
  const { write, close } = openWriter(client, body.head)
  let isPrompt = true // as long as it lets no piece wait
  try {
    for (let atOnce = 0; body.bytes.length > 0; atOnce += 1) {
      if (atOnce % mostAtOnce === 0) await begin()
      const mayMove = body.keeper?.isKept !== true // else a file would free nothing
      const hasTime = shared.isHeld && !budget.isTight
      const isWhole = mayMove && isPrompt && shared.isHeld && budget.keepWhole(size)
      const { bytes, release } = mayMove && !isWhole ? copyPiece(body) : cutPiece(body)
      const onTaken = isWhole ? () => budget.leaveWhole(size) : release
      const taken = write(bytes)
      if (typeof taken === 'boolean') onTaken()
      else void taken.then(onTaken)
      if (taken === true) continue
      atOnce = -1
      isPrompt = !mayMove || body.bytes.length === 0 || (await isSoon(taken, hasTime ? patience : 0))
      const file = isPrompt || isWhole ? undefined : await moveToFile(body.bytes, request.socket, memory)
      if (file) {
        body.bytes = nothing
        shared.close()
        memory.hold(filePieceBytes)
      }
      const isTaken = file ? await writeMoved(file, taken, write) : await taken
      if (!isTaken) return
    }
  } finally {
    shared.close()
    close()
  }
}

async function writeMoved(file: MovedBytes, taken: Taken, write: Write): Promise<boolean> {
  try {
    if (!(await taken)) return false
    for await (const piece of file.read()) {
      await begin()
      if (!(await write(piece))) return false
    }
    return true
  } finally {
    await file.close()
  }
}

/** The same for what is read as it is sent. */
export async function writePieces(pieces: AsyncIterable<Buffer>, client: Client, isChunked: boolean): Promise<void> {
  const { write, close } = openWriter(client, '', isChunked)
  const send = async (piece: Buffer) => {
    await begin()
    return write(piece)
  }
  try {
    for await (const whole of pieces) {
      for (let at = 0; at < whole.length; at += pieceBytes)
        if (!(await send(whole.subarray(at, at + pieceBytes)))) return
    }
    if (isChunked) await send(nothing)
  } finally {
    close()
  }
}

/** The size of a chunk stands before it; the last one is empty. In one write, and the chunk is not copied. */
function writeChunk(socket: Socket, piece: Buffer, onTaken: (error?: Error | null) => void): void {
  socket.cork()
  socket.write(`${piece.length.toString(16)}\r\n`, 'latin1')
  if (piece.length > 0) socket.write(piece)
  socket.write('\r\n', 'latin1', onTaken)
  socket.uncork()
}

/** Cuts the connection where a reply that was written is not taken in time. @returns ends that */
export function cutLate({ request, responseTimeout }: Client) {
  const timer = setTimeout(() => cut(request.socket), responseTimeout)
  return () => clearTimeout(timer)
}

/** A reset: the client sees that the reply is not whole, and the system would keep megabytes for a client that does not read them. TLS knows none. */
export function cut(socket: Socket): void {
  if (socket instanceof TLSSocket) socket.destroy()
  else socket.resetAndDestroy()
}

interface Piece {
  readonly bytes: Buffer
  /** The socket has it. */
  release(): void
}

/** What waits in the socket keeps the whole. */
function cutPiece(body: LargeBody, bytes = widePieceBytes): Piece {
  const piece = body.bytes.subarray(0, bytes)
  body.bytes = body.bytes.subarray(piece.length)
  return { bytes: piece, release() {} }
}

function copyPiece(body: LargeBody): Piece {
  const blocks = body.bytes.length > pieceBytes && wide.hasRoom ? wide : narrow
  const block = blocks.take()
  const bytes = block.subarray(0, cutPiece(body, block.length).bytes.copy(block))
  return { bytes, release: () => blocks.giveBack(block) }
}

/** When the socket has taken a piece; false where it never will. */
type Taken = boolean | Promise<boolean>
type Write = (piece: Buffer) => Taken

/** Before a piece: a socket takes megabytes before its client reads, and thousands of them at one moment take turns with other calls. */
function begin(): Promise<void> {
  return new Promise(inSlice)
}

/** @param head written together with the first piece */
function openWriter(client: Client, head = '', isChunked = false): { readonly write: Write; close(): void } {
  const { socket } = client.request
  let leave: (() => void) | undefined
  const onClose = () => leave?.()
  socket.once('close', onClose)
  let before = head
  const write = (piece: Buffer): Taken => {
    if (socket.destroyed) return false
    const { promise, resolve } = Promise.withResolvers<boolean>()
    leave = () => resolve(false)
    const onTaken = (error?: Error | null) => resolve(!error)
    if (before !== '') socket.cork()
    if (before !== '') socket.write(before, 'latin1')
    if (isChunked) writeChunk(socket, piece, onTaken)
    else socket.write(piece, onTaken)
    if (before !== '') socket.uncork()
    before = ''
    if (socket.writableLength === 0) return true
    const end = cutLate(client)
    return promise.finally(end)
  }
  return { write, close: () => socket.off('close', onClose) }
}

function isSoon(taken: Taken, milliseconds: number): boolean | Promise<boolean> {
  if (typeof taken === 'boolean') return true
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, milliseconds, false)
  taken.then(() => {
    clearTimeout(timer)
    resolve(true)
  })
  return promise
}

interface MovedBytes {
  read(): AsyncIterable<Buffer>
  close(): Promise<void>
}

/** Undefined where the disk takes no more, or has enough of such, or the client left meanwhile. */
async function moveToFile(bytes: Buffer, socket: Socket, memory: MemoryAccount): Promise<MovedBytes | undefined> {
  const size = bytes.length
  if (!memory.moveToFile(size)) return undefined
  const file = await openNamelessFile().catch(() => undefined)
  const close = async () => file?.close()
  try {
    for (let at = 0; file && at < size && !socket.destroyed; at += moveBytes)
      await writeWhole(file, bytes.subarray(at, at + moveBytes))
    if (file && !socket.destroyed) return { read: () => readPieces(file, size, filePieceBytes), close }
  } catch {
    // no room
  }
  await close()
  return undefined
}
