/** What a handler yields, joined to pieces for the socket: texts are encoded, short chunks share a piece (specification 5.30). */

export type Chunk = string | Uint8Array

const pieceBytes = 64 * 1024
const encoder = new TextEncoder()
const replacement = Buffer.from('\ufffd')

/** One block, used again and again: a piece is valid until the next chunk is put. */
export class ChunkJoiner {
  readonly #block = Buffer.allocUnsafeSlow(pieceBytes + replacement.length)
  #filled = 0
  /** The first code unit of a pair: the other may be in the next text. */
  #half = ''

  /** @returns what did not fit: take a piece, then put the rest. */
  put(chunk: Chunk): Chunk | undefined {
    if (typeof chunk === 'string') return this.#putText(this.#half + chunk)
    this.#putHalf()
    const part = chunk.subarray(0, this.#room.length)
    this.#block.set(part, this.#filled)
    this.#filled += part.length
    return part.length === chunk.length ? undefined : chunk.subarray(part.length)
  }

  take(): Buffer {
    const piece = this.#block.subarray(0, this.#filled)
    this.#filled = 0
    return piece
  }

  /** The last piece: nothing is put after it. */
  end(): Buffer {
    this.#putHalf()
    return this.take()
  }

  #putText(text: string): string | undefined {
    const end = endsInHalf(text) ? text.length - 1 : text.length
    const { read, written } = encoder.encodeInto(end === text.length ? text : text.slice(0, end), this.#room)
    this.#filled += written
    this.#half = read < end ? '' : text.slice(end)
    return read < end ? text.slice(read) : undefined
  }

  /** A surrogate without its pair is not a character; the buffer always has room for its replacement. */
  #putHalf(): void {
    if (this.#half === '') return
    this.#half = ''
    this.#filled += replacement.copy(this.#block, this.#filled)
  }

  get #room(): Buffer {
    return this.#block.subarray(this.#filled, pieceBytes)
  }
}

function endsInHalf(text: string): boolean {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff
}
