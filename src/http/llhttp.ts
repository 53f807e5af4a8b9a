/**
 * llhttp, the HTTP/1.1 parser of Node, in the official WebAssembly build that `undici` contains (decisions D-460). There
 * is one instance, and it is strict: no lenient flag is ever set. It reports positions in a piece of input and stores
 * nothing.
 */
import { createRequire } from 'node:module'

/** What reads a body. A name can come in parts. */
export interface BodyFindings {
  /** @returns false to stop after these bytes */
  onBody(bytes: Buffer): boolean
  /** For trailers. Positions count from the start of the piece. */
  onName(start: number, end: number): void
  onEnd(): void
}

/** `paused`: behind a head, a message, or where a finding stopped it. `version`: one that llhttp does not know. */
export type ParseOutcome = 'more' | 'paused' | 'version' | 'malformed'

interface Functions {
  readonly memory: { readonly buffer: ArrayBuffer }
  malloc(size: number): number
  llhttp_alloc(type: number): number
  llhttp_reset(parser: number): void
  llhttp_execute(parser: number, data: number, length: number): number
  llhttp_resume(parser: number): void
  llhttp_get_error_pos(parser: number): number
  llhttp_get_error_reason(parser: number): number
  llhttp_should_keep_alive(parser: number): number
}

/** The types of Node leave it out. */
declare const WebAssembly: {
  validate(code: Buffer): boolean
  readonly Module: new (code: Buffer) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: Functions }
}

const require = createRequire(import.meta.url)
const { ERROR, TYPE } = require('undici/lib/llhttp/constants.js')

/** Maximum number of bytes read at once. */
const areaBytes = 64 * 1024

/** Undefined for a head. */
let findings: BodyFindings | undefined
/** Added to an address in llhttp's memory, gives the position in the piece. */
let shift = 0

const llhttp = instantiate()
const area = llhttp.malloc(areaBytes)
let memory = Buffer.from(llhttp.memory.buffer)
/** The bytes in the area, so that the next message of the same piece is not copied again. */
let loaded: Buffer | undefined
let loadedFrom = 0
let loadedTo = 0

function instantiate(): Functions {
  const env = {
    wasm_on_message_begin: () => 0,
    wasm_on_status: () => 0,
    wasm_on_url: () => 0,
    wasm_on_header_field(_: number, at: number, length: number) {
      findings?.onName(at + shift, at + shift + length)
      return 0
    },
    wasm_on_header_value: () => 0,
    wasm_on_headers_complete: () => ERROR.PAUSED,
    wasm_on_body(_: number, at: number, length: number) {
      return loaded && findings?.onBody(loaded.subarray(at + shift, at + shift + length)) === false ? ERROR.PAUSED : 0
    },
    wasm_on_message_complete() {
      findings?.onEnd()
      return ERROR.PAUSED
    },
  }
  const simd = require('undici/lib/llhttp/llhttp_simd-wasm.js')
  const code = WebAssembly.validate(simd) ? simd : require('undici/lib/llhttp/llhttp-wasm.js')
  return new WebAssembly.Instance(new WebAssembly.Module(code), { env }).exports
}

const unused: number[] = []

/** The memory of llhttp, with all of its parsers. */
export function memoryBytes(): number {
  return memory.length
}

/** One for each connection: 80 bytes in the memory of llhttp, which the next connection gets. */
export class Parser {
  readonly #address: number
  /** Where the last `read` stopped. */
  position = 0

  constructor() {
    this.#address = unused.pop() ?? llhttp.llhttp_alloc(TYPE.REQUEST)
    if (memory.length === 0) memory = Buffer.from(llhttp.memory.buffer) // it has grown
  }

  /** Reads on in the piece, at most to its end. */
  read(piece: Buffer, from: number, to?: BodyFindings): ParseOutcome {
    if (loaded !== piece || from < loadedFrom || from >= loadedTo) load(piece, from)
    if (to) llhttp.llhttp_resume(this.#address) // behind the head, or where a finding stopped it
    findings = to
    const at = from - shift
    const result = llhttp.llhttp_execute(this.#address, at, loadedTo - from)
    if (result === 0) {
      this.position = loadedTo
      return 'more'
    }
    this.position = llhttp.llhttp_get_error_pos(this.#address) + shift
    if (result === ERROR.PAUSED) return 'paused'
    return result === ERROR.INVALID_VERSION && this.reason === 'Invalid HTTP version' ? 'version' : 'malformed'
  }

  /** What comes is a new message, whatever the one before said of upgrades. */
  reset(): void {
    llhttp.llhttp_reset(this.#address)
  }

  /** Whether the client keeps the connection after the message, by the version and `Connection` of its head. */
  get keepsAlive(): boolean {
    return llhttp.llhttp_should_keep_alive(this.#address) === 1
  }

  /** Why it refuses, for the log. */
  get reason(): string {
    const at = llhttp.llhttp_get_error_reason(this.#address)
    return at === 0 ? '' : memory.toString('latin1', at, memory.indexOf(0, at))
  }

  close(): void {
    unused.push(this.#address)
  }
}

function load(piece: Buffer, from: number): void {
  loaded = piece
  loadedFrom = from
  loadedTo = Math.min(piece.length, from + areaBytes)
  shift = from - area
  piece.copy(memory, area, from, loadedTo)
}
