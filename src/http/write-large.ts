/**
 * Writes a reply that a socket may not take at once. What a client leaves waiting goes to a file, and it is cut off when it
 * takes nothing for the time-out (specification 7.6, 7.8).
 */
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { TLSSocket } from 'node:tls'
import type { MemoryAccount, MemoryBudget } from '../model/memory-budget.ts'
import { openNamelessFile, readPieces, writeWhole } from './nameless-file.ts'

export interface Client {
  readonly response: ServerResponse
  /** Holds the reply until it is written or in a file. */
  readonly memory: MemoryAccount
  /** Milliseconds. */
  readonly responseTimeout: number
}

/** Replies up to this size are one write. */
export const largeBytes = 64 * 1024
const nothing = Buffer.alloc(0)
/** Copied: what waits in the socket must not keep the whole. */
const pieceBytes = 64 * 1024
/** Of a file: what waits in the socket of a client that does not read. */
const filePieceBytes = 16 * 1024
/** Milliseconds that a reader may stand still before the rest goes to a file; none where memory is tight. */
const patience = 100

/** Ends early, without an error, where the connection is gone. */
export async function writeLarge(bytes: Buffer, client: Client): Promise<void> {
  const { memory, response } = client
  const isHeld = memory.hold(bytes.length)
  const write = openWriter(client)
  let rest = bytes
  while (rest.length > 0) {
    const piece = Buffer.from(rest.subarray(0, pieceBytes))
    rest = rest.subarray(piece.length)
    const taken = write(piece)
    const isStuck = rest.length > 0 && !(await isSoon(taken, isHeld && !memory.budget.isTight ? patience : 0))
    if (!isStuck && !(await taken)) return
    if (!isStuck) continue
    const parked = await park(rest, memory.budget)
    if (!parked && !(await taken)) return // no room on the disk: it stays in memory
    if (!parked) continue
    rest = bytes = nothing // or this call would keep them
    memory.hold(filePieceBytes)
    try {
      if (!(await taken)) return
      for await (const fromFile of parked.read()) if (!(await write(fromFile))) return
    } finally {
      await parked.close()
    }
  }
  response.end()
}

/** The same for what is read as it is sent. */
export async function writePieces(pieces: AsyncIterable<Buffer>, client: Client): Promise<void> {
  const write = openWriter(client)
  for await (const whole of pieces) {
    for (let at = 0; at < whole.length; at += pieceBytes) {
      if (!(await write(whole.subarray(at, at + pieceBytes)))) return
    }
  }
  client.response.end()
}

/** Cuts the connection where a reply that was written is not taken in time. @returns ends that */
export function cutLate({ response, responseTimeout }: Client) {
  const timer = setTimeout(() => cut(response), responseTimeout)
  return () => clearTimeout(timer)
}

/** A reset: the system would keep megabytes for a client that does not read them. TLS knows none. */
function cut(response: ServerResponse): void {
  const { socket } = response
  if (socket && !(socket instanceof TLSSocket)) socket.resetAndDestroy()
  else response.destroy()
}

/** Fulfilled when the socket has taken the piece; with false where it never will. */
function openWriter(client: Client): (piece: Buffer) => Promise<boolean> {
  const { response } = client
  let settle: ((isTaken: boolean) => void) | undefined
  response.once('close', () => settle?.(false))
  return (piece) => {
    if (response.destroyed) return Promise.resolve(false)
    const end = cutLate(client)
    return new Promise((resolve) => {
      settle = (isTaken) => {
        end()
        resolve(isTaken)
      }
      response.write(piece, (error) => settle?.(!error))
    })
  }
}

function isSoon(event: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const stop = new AbortController()
  const late = sleep(milliseconds, false, { signal: stop.signal }).catch(() => false)
  return Promise.race([event.then(() => true), late]).finally(() => stop.abort())
}

/** Undefined where the disk takes no more, or has enough of such. */
async function park(bytes: Buffer, budget: MemoryBudget) {
  const size = bytes.length
  if (!budget.moveToFile(size)) return undefined
  const file = await openNamelessFile().catch(() => undefined)
  const close = async () => {
    budget.leaveFile(size)
    await file?.close()
  }
  try {
    if (file) await writeWhole(file, bytes)
  } catch {
    await close()
    return undefined
  }
  if (file) return { read: () => readPieces(file, size, filePieceBytes, Buffer.allocUnsafeSlow), close }
  await close()
  return undefined
}
