/**
 * Memory for pieces on their way to sockets, used again and again: a new copy of each piece would cost more than writing it
 * (specification 7.9, decisions D-519).
 */
export class Blocks {
  readonly #bytes: number
  readonly #most: number
  readonly #kept: number
  readonly #free: Buffer[] = []
  #used = 0

  /** @param most in use at a time @param kept for later: further ones are freed */
  constructor(bytes: number, most: number, kept: number) {
    this.#bytes = bytes
    this.#most = most
    this.#kept = kept
  }

  get hasRoom(): boolean {
    return this.#used < this.#most
  }

  take(): Buffer {
    this.#used += 1
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(this.#bytes)
  }

  giveBack(block: Buffer): void {
    this.#used -= 1
    if (this.#free.length < this.#kept) this.#free.push(block)
  }
}
