/** The whole of a stream, for a client that must know its size beforehand (specification 7.19). */
import type { ReplyFile } from '../model/call.ts'
import type { MemoryAccount } from '../model/memory-budget.ts'
import { Refusal } from '../model/refusal.ts'
import { openSpool } from './spool.ts'

export interface Collection {
  /** Once. @throws Refusal overloaded where files have no room for it */
  collect(pieces: AsyncIterable<Buffer>): Promise<ReplyFile>
  /** Its bytes are no longer needed. */
  close(): void
}

/** @param memory of the call */
export function openCollection(memory: MemoryAccount, memoryBytes: number): Collection {
  const { body, write } = openSpool({ memoryBytes, openAccount: () => memory.open() })
  let counted = 0
  return {
    async collect(pieces) {
      for await (const piece of pieces) {
        if (!memory.budget.moveToFile(piece.length))
          throw new Refusal(
            'overloaded',
            `no room for more than ${counted} bytes of a stream in files (ig.limits.memory)`,
          )
        counted += piece.length
        await write(Buffer.from(piece))
      }
      return { size: body.size, read: () => body.pieces() }
    },
    close() {
      memory.budget.leaveFile(counted)
      counted = 0
      body.close()?.catch(() => {}) // a file without a name: the system frees it in any case
    },
  }
}
