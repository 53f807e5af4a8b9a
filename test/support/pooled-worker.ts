/**
 * Threads that are used again, for the writers of SQLite: a run opens and closes a thousand, and to start a thread takes
 * ten times as long as to load its module once more.
 */
import { EventEmitter, once } from 'node:events'
import {
  MessageChannel,
  type MessagePort,
  type TransferListItem,
  Worker,
  type WorkerOptions,
} from 'node:worker_threads'

const idle: Worker[] = []

/** Ends like a thread of its own: after an error, or if its module has not closed its port, the thread itself ends. */
export class PooledWorker extends EventEmitter {
  readonly #thread: Worker
  readonly #port: MessagePort

  constructor(module: string, { workerData }: WorkerOptions = {}) {
    super()
    this.#thread = idle.pop() ?? new Worker(new URL('./pooled-worker-thread.mjs', import.meta.url))
    this.#thread.ref()
    this.#thread.on('error', this.#fail).on('exit', this.#exit)
    const { port1, port2 } = new MessageChannel()
    this.#port = port1.on('message', (message) => this.emit('message', message))
    this.#thread.postMessage({ module, workerData, port: port2 }, [port2])
  }

  postMessage(message: unknown, transfer?: readonly TransferListItem[]): void {
    this.#port.postMessage(message, transfer)
  }

  async terminate(): Promise<number> {
    this.#thread.postMessage('end')
    const [isFree] = await once(this.#thread, 'message')
    if (!isFree) return this.#thread.terminate()
    this.#thread.off('error', this.#fail).off('exit', this.#exit).unref()
    idle.push(this.#thread)
    this.#exit(0)
    return 0
  }

  readonly #fail = (error: Error) => void this.emit('error', error)
  readonly #exit = (code: number) => {
    this.#port.close()
    this.emit('exit', code)
  }
}
