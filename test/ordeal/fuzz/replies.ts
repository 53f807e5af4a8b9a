/** Replies read byte for byte, and connections that are kept and pipelined: a client that may send what no proper one would. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { patience } from '../../support/patience.ts'

export interface Reply {
  readonly status: number
  /** Status line and headers, names in small letters. */
  readonly head: string
  readonly body: Buffer
  /** The server reads no further request of this connection. */
  readonly isLast: boolean
}

export interface Request {
  readonly bytes: Buffer
  readonly isHead?: boolean
}

export const bytesOf = (answer: Answer) =>
  answer && Buffer.concat([Buffer.from(answer.head), Buffer.from('\r\n\r\n'), answer.body])

/** Undefined: no answer came. */
export type Answer = Reply | undefined

export function headerOf({ head }: Reply, name: string): string | undefined {
  const start = head.indexOf(`\r\n${name}: `)
  if (start < 0) return undefined
  const end = head.indexOf('\r\n', start + 2)
  return head.slice(start + name.length + 4, end < 0 ? head.length : end)
}

/**
 * The reply that begins at `start`, and where the next begins; undefined where it is not whole. 1xx are left out.
 * @throws Error where the bytes are no reply
 */
export function readReply(bytes: Buffer, start: number, isHead = false): { reply: Reply; end: number } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n', start)
  if (headEnd < 0) return undefined
  const text = bytes.toString('latin1', start, headEnd)
  const status = Number(/^HTTP\/1\.1 (\d{3}) [^\r\n]*/.exec(text)?.[1])
  if (!status) throw new Error(`no reply: ${JSON.stringify(text.slice(0, 200))}`)
  const from = headEnd + 4
  if (status < 200) return readReply(bytes, from, isHead)
  const head = text.replace(/^[\w-]+:/gm, (name) => name.toLowerCase())
  const isLast = /\r\nconnection: close/.test(head)
  const [, stated] = /\r\ncontent-length: (\d+)/.exec(head) ?? []
  if (stated === undefined && !isLast && ![204, 304].includes(status))
    throw new Error(`a reply without a length: ${JSON.stringify(head.slice(0, 200))}`)
  const length = isHead || [204, 304].includes(status) ? 0 : Number(stated ?? 0)
  const end = from + length
  if (bytes.length < end) return undefined
  const body = bytes.subarray(from, end)
  return { reply: { status, head, body, isLast }, end }
}

/** One connection after the other to a server, for one caller at a time. */
export class Pipe {
  readonly #url: URL
  #socket: Socket | undefined
  #read: Buffer = Buffer.alloc(0)
  #wake = () => {}

  constructor(url: string) {
    this.#url = new URL(url)
  }

  /** Sends all at once. What follows a reply that closes the connection is sent again on another. */
  async exchange(requests: readonly Request[]): Promise<readonly Answer[]> {
    const answers: Answer[] = []
    while (answers.length < requests.length) {
      const rest = requests.slice(answers.length)
      const got = await this.#send(rest)
      answers.push(...got)
      if (!got.at(-1)?.isLast && got.length < rest.length) answers.push(undefined)
    }
    return answers
  }

  async #send(requests: readonly Request[]): Promise<readonly Reply[]> {
    const socket = await this.#open()
    socket.write(Buffer.concat(requests.map(({ bytes }) => bytes)))
    const replies: Reply[] = []
    const timer = setTimeout(() => socket.destroy(), patience)
    let at = 0
    while (replies.length < requests.length && !replies.at(-1)?.isLast) {
      const found = readReply(this.#read, at, requests[replies.length]?.isHead)
      if (found) {
        replies.push(found.reply)
        at = found.end
        continue
      }
      if (this.#socket !== socket) break
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    clearTimeout(timer)
    this.#read = this.#read.subarray(at)
    if (replies.length < requests.length || replies.at(-1)?.isLast) this.close()
    return replies
  }

  async #open(): Promise<Socket> {
    if (this.#socket) return this.#socket
    const socket = connect(Number(this.#url.port), this.#url.hostname)
    this.#socket = socket
    this.#read = Buffer.alloc(0)
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => {
      if (this.#socket !== socket) return
      this.#read = this.#read.length === 0 ? chunk : Buffer.concat([this.#read, chunk])
      this.#wake()
    })
    for (const event of ['end', 'close', 'error'])
      socket.on(event, () => {
        if (this.#socket === socket) this.#socket = undefined
        this.#wake()
      })
    await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => {})
    return socket
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = undefined
  }
}

/** Makes requests and judges their answers, on several connections at a time. */
export async function callMany<Made extends Request>(
  url: string,
  count: number,
  { connections, depth }: { readonly connections: number; readonly depth: number },
  make: (index: number) => Made,
  judge: (answer: Answer, made: Made) => void,
): Promise<void> {
  let next = 0
  const work = async () => {
    const pipe = new Pipe(url)
    while (next < count) {
      const batch = Array.from({ length: Math.min(depth, count - next) }, () => make(next++))
      const answers = await pipe.exchange(batch)
      for (const [at, made] of batch.entries()) judge(answers[at], made)
    }
    pipe.close()
  }
  await Promise.all(Array.from({ length: connections }, work))
}

export interface ReceivedBytes {
  readonly bytes: Buffer
  /** Milliseconds from the end of what was sent to the end of what came. */
  readonly waited: number
}

/**
 * Sends the pieces on a connection of their own, and reads to its end. The sending half is closed once what came suffices:
 * a client that closes it earlier is taken to have left after a second (decisions D-76).
 */
export async function exchangeAll(
  url: string,
  pieces: readonly Buffer[],
  suffices: (bytes: Buffer) => boolean,
): Promise<ReceivedBytes> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true, noDelay: true })
  let bytes: Buffer = Buffer.alloc(0)
  let isSent = false
  let ended = performance.now()
  const timer = setTimeout(() => socket.destroy(), patience)
  const endIfEnough = () => {
    if (!isSent || socket.writableEnded || !suffices(bytes)) return
    ended = performance.now()
    socket.end()
  }
  socket.on('error', () => {})
  socket.on('data', (chunk: Buffer) => {
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk])
    endIfEnough()
  })
  const over = Promise.race([once(socket, 'end'), once(socket, 'close')]).catch(() => {})
  for (const piece of pieces) {
    if (!socket.writable) break
    socket.write(piece)
    if (pieces.length > 1) await new Promise((resolve) => setImmediate(resolve))
  }
  isSent = true
  endIfEnough()
  await over
  clearTimeout(timer)
  socket.destroy()
  return { bytes, waited: performance.now() - ended }
}
