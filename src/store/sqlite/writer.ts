/**
 * The writer of an SQLite file: a thread of its own, because a commit of many rows blocks for long, and one, because
 * SQLite has one writer. Sessions take turns (specification 5.9).
 */
import type { Worker } from 'node:worker_threads'
import type { CompiledQuery } from 'kysely'
import type { BeginOptions } from '../database.ts'
import { StoreUnavailable } from '../faults.ts'
import { Turns, waitFor } from '../wait-for.ts'
import type { StatementResult } from './connection.ts'
import type { CommitRequest, NumberedRequest, WriterAnswer, WriterOptions, WriterRequest } from './writer-requests.ts'
import { takeWriterThread } from './writer-threads.ts'

/** How long closing waits for the current session. */
const closeWait = 10_000

/** The right to begin a transaction. */
export interface Turn {
  /** Another session's commit that may still be in progress. */
  readonly ahead: Promise<unknown>
  end(): void
}

export class SqliteWriter {
  readonly #worker: Worker
  readonly #turns = new Turns()
  /** The last commit that was sent: the next session may already follow it. */
  #commit: Promise<unknown> = Promise.resolve()
  /**
   * Unanswered requests, by number: a commit is answered when it is on the disk, which may be after answers to the next
   * session.
   */
  readonly #asked = new Map<number, PromiseWithResolvers<StatementResult | undefined>>()
  #count = 0
  /** Not sent yet: messages are expensive, so a session's commit and the next one's begin share one. */
  #outgoing: NumberedRequest[] = []
  #ended: Error | undefined
  readonly #options: WriterOptions
  #isOpen = false
  /** Replaces errors of the database. */
  explain = (error: unknown): unknown => error

  static async open(options: WriterOptions): Promise<SqliteWriter> {
    const writer = new SqliteWriter(options)
    try {
      await writer.#answer(0)
      writer.#isOpen = true
      return writer
    } catch (error) {
      await writer.#worker.terminate()
      throw error
    }
  }

  private constructor(options: WriterOptions) {
    this.#options = options
    this.#worker = takeWriterThread(options)
    this.#worker.on('message', (answers: readonly WriterAnswer[]) => {
      for (const answer of answers) {
        const asked = this.#asked.get(answer.number)
        this.#asked.delete(answer.number)
        if ('error' in answer) asked?.reject(answer.error)
        else asked?.resolve(answer.result)
      }
    })
    this.#worker.on('error', (error) => this.#fail(error))
    this.#worker.on('exit', () => this.#fail(new Error('The database is closed')))
  }

  /** The queue of sessions, and whether one is active. */
  get load() {
    const { count } = this.#turns
    return { open: 1, idle: count === 0 ? 1 : 0, waiting: Math.max(0, count - 1), max: 1 }
  }

  async takeTurn(waiting: BeginOptions): Promise<Turn> {
    const end = await waitFor(this.#turns.ask(), waiting, 'the writer', (late) => late())
    return { end, ahead: this.#commit }
  }

  /** Reads in the writer's thread, between transactions. */
  async read({ sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>): Promise<StatementResult | undefined> {
    if (this.#ended) throw this.#ended
    const endTurn = await this.#turns.ask()
    try {
      return await this.ask({ kind: 'read', sql, parameters })
    } finally {
      endTurn()
    }
  }

  /** The thread serves in order, and a failed commit rolls back: the next session need not wait for its answer. */
  async commit(request: CommitRequest, turn: Turn): Promise<void> {
    const committed = this.ask(request)
    this.#commit = committed.catch(() => {})
    turn.end()
    await committed
  }

  async ask(request: WriterRequest): Promise<StatementResult | undefined> {
    if (this.#ended) throw this.#ended
    this.#count += 1
    if (this.#outgoing.push({ number: this.#count, request }) === 1) process.nextTick(() => this.#send())
    return this.#answer(this.#count)
  }

  async close(): Promise<void> {
    this.#isOpen = false
    if (this.#ended) return
    const turn = waitFor(this.#turns.ask(), { wait: closeWait }, 'the writer', (late) => late())
    const endTurn = await turn.catch(() => undefined)
    await this.ask({ kind: 'close' })
    this.#fail(new Error('The database is closed'))
    endTurn?.() // the sessions that wait get that error
    await this.#worker.terminate()
  }

  #send(): void {
    const requests = this.#outgoing
    if (requests.length === 0) return
    this.#outgoing = []
    try {
      this.#worker.postMessage(requests)
    } catch {
      for (const request of requests) this.#sendAlone(request) // a value cannot be cloned: only its request fails
    }
  }

  #sendAlone(request: NumberedRequest): void {
    try {
      this.#worker.postMessage([request])
    } catch (cause) {
      const error = new TypeError(`A value cannot be bound to a statement: ${(cause as Error).message}`, { cause })
      this.#asked.get(request.number)?.reject(error)
      this.#asked.delete(request.number)
    }
  }

  async #answer(number: number): Promise<StatementResult | undefined> {
    const asked = Promise.withResolvers<StatementResult | undefined>()
    this.#asked.set(number, asked)
    try {
      return await asked.promise
    } catch (error) {
      if (error instanceof Error) throw error
      const { message, ...codes } = error as { message: string }
      throw this.explain(Object.assign(new Error(message), codes)) // created here, so that the stack shows the caller
    }
  }

  #fail(error: Error): void {
    this.#ended ??= error
    for (const asked of this.#asked.values()) asked.reject(this.#ended)
    this.#asked.clear()
    if (!this.#isOpen) return
    this.#isOpen = false
    const { file, isDurable } = this.#options
    if (!isDurable) return
    // Deliberately unhandled: this error ends the process in order, and a new one starts.
    const consequence = 'This process can no longer write to it'
    process.nextTick(() => {
      throw new StoreUnavailable(`The SQLite database ${file} failed: ${error.message}. ${consequence}.`)
    })
  }
}
