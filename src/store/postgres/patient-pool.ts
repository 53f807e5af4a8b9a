/**
 * A pool that waits for one of its connections if the server accepts no more (its own limit, or that of the database or
 * role), instead of failing, and retries to connect once a second (specification 5.9).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

type Callback = Parameters<pg.Pool['connect']>[0]

/** Milliseconds until the next attempt to connect: without open connections, and for one more. */
const askAgain = 250
const oneMore = 1000

export class PatientPool extends pg.Pool {
  readonly #max: number
  readonly #patience: number
  readonly #idle = new Set<pg.PoolClient>()
  #open = 0
  /** Undefined if the server accepts as many as requested. */
  #refused: Error | undefined
  #opening: Promise<void> | undefined

  constructor(config: pg.PoolConfig & Required<Pick<pg.PoolConfig, 'max' | 'connectionTimeoutMillis'>>) {
    super(config)
    this.#max = config.max
    this.#patience = config.connectionTimeoutMillis
    this.on('connect', () => {
      this.#open += 1
    })
    this.on('remove', (client) => {
      this.#open -= 1
      this.#idle.delete(client)
    })
    this.on('acquire', (client) => this.#idle.delete(client))
    this.on('release', (_error, client) => this.#idle.add(client))
  }

  /** Closes idle connections: new ones replace them. */
  cutIdle(): void {
    for (const client of this.#idle) client.connection.stream.destroy()
  }

  override connect(): Promise<pg.PoolClient>
  override connect(callback: Callback): void
  override connect(callback?: Callback): Promise<pg.PoolClient> | undefined {
    const connecting = this.#mustWait() ? this.#wait() : this.#connect()
    if (!callback) return connecting
    connecting.then(
      (client) => callback(undefined, client, (fault) => client.release(fault)),
      (error) => callback(error, undefined, () => {}),
    )
    return undefined
  }

  #connect(): Promise<pg.PoolClient> {
    return super.connect().then(
      (client) => (client.connection.stream.destroyed ? this.#connectAnew(client) : client),
      (error) => {
        if (!this.#isRefusal(error)) throw error
        return this.#wait()
      },
    )
  }

  /** Closed just now; the pool notices at its next turn. */
  #connectAnew(client: pg.PoolClient): Promise<pg.PoolClient> {
    client.release(true)
    return this.#connect()
  }

  /** Without an open connection there is none to wait for: one of all waiters retries. */
  #mustWait(): boolean {
    return this.#refused !== undefined && this.#open === 0
  }

  async #wait(): Promise<pg.PoolClient> {
    const until = performance.now() + this.#patience
    while (performance.now() < until && !this.ending) {
      if (this.#mustWait()) {
        this.#opening ??= this.#openOne().finally(() => {
          this.#opening = undefined
        })
        await this.#opening
        if (this.#mustWait()) continue
      }
      try {
        return await super.connect()
      } catch (error) {
        if (!this.#isRefusal(error)) throw error
      }
    }
    throw this.#refused ?? new Error('The pool has ended')
  }

  async #openOne(): Promise<void> {
    await sleep(askAgain)
    if (this.ending) return
    await super.connect().then(
      (client) => client.release(),
      (error) => this.#isRefusal(error) || this.#takeAll(), // all waiters get any other error
    )
  }

  /** From here on the pool is full with its open connections. */
  #isRefusal(error: unknown): boolean {
    if (!(error instanceof pg.DatabaseError) || error.code !== tooManyConnections) return false
    if (this.#refused === undefined) void this.#growAgain()
    this.#refused = error
    this.options.max = Math.max(1, this.#open)
    return true
  }

  async #growAgain(): Promise<void> {
    do {
      await sleep(oneMore, undefined, { ref: false })
      this.options.max = Math.max(this.options.max, this.#open) + 1
    } while (this.options.max < this.#max && !this.ending)
    this.#takeAll()
  }

  #takeAll(): void {
    this.options.max = this.#max
    this.#refused = undefined
  }
}

const tooManyConnections = '53300'
