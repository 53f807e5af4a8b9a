/** A client that sends the bytes it is given and reads replies byte for byte: for what a proper client cannot do. */
import { connect, type Socket } from 'node:net'
import { connect as connectSecure } from 'node:tls'

export interface RawReply {
  readonly statusLine: string
  readonly status: number
  /** As they came: names in their letter case, in their order. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** All values of a header, joined with `, `; any letter case. */
  header(name: string): string | undefined
  readonly body: Buffer
  readonly text: string
}

export interface RawSocket {
  readonly socket: Socket
  write(bytes: string | Buffer): void
  /** Closes the sending half. */
  end(): void
  /** The next reply, 1xx included. Rejects when the connection ends before it is whole. */
  readReply(options?: { readonly isHead?: boolean }): Promise<RawReply>
  /** Fulfilled when the server has closed its half, or the connection is gone; with the bytes that were not read. */
  readonly closed: Promise<Buffer>
  destroy(): void
}

/** @param url `http://127.0.0.1:8080` */
export async function openRawSocket(
  url: string,
  options: { readonly allowHalfOpen?: boolean } = {},
): Promise<RawSocket> {
  const { protocol, hostname, port } = new URL(url)
  const target = {
    host: hostname.replace(/[[\]]/g, ''),
    port: Number(port),
    allowHalfOpen: options.allowHalfOpen ?? false,
  }
  const isSecure = protocol === 'https:'
  const socket = isSecure ? connectSecure({ ...target, rejectUnauthorized: false }) : connect(target)
  const chunks: Buffer[] = []
  let size = 0
  let hasEnded = false
  let wake = () => {}
  const received = () => {
    if (chunks.length !== 1) chunks.splice(0, chunks.length, Buffer.concat(chunks))
    return chunks[0] ?? Buffer.alloc(0)
  }
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    size += chunk.length
    wake()
  })
  const ended = new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error']) {
      socket.on(event, () => {
        hasEnded = true
        wake()
        resolve()
      })
    }
  })
  await new Promise<void>((resolve, reject) => {
    socket.once(isSecure ? 'secureConnect' : 'connect', resolve)
    socket.once('error', reject)
  })

  async function readReply({ isHead = false } = {}): Promise<RawReply> {
    let needed = 0
    for (;;) {
      const parsed = size < needed && !hasEnded ? needed : parseReply(received(), hasEnded, isHead)
      if (typeof parsed === 'object') {
        chunks.splice(0, chunks.length, received().subarray(parsed.length))
        size -= parsed.length
        return parsed.reply
      }
      if (hasEnded)
        throw new Error(`The connection ended after ${JSON.stringify(received().toString('latin1', 0, 400))}`)
      needed = parsed
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }

  return {
    socket,
    readReply,
    get closed() {
      return ended.then(received)
    },
    write: (bytes) => void socket.write(bytes),
    end: () => void socket.end(),
    destroy: () => void socket.destroy(),
  }
}

/** One request on a connection of its own. */
export async function sendRaw(url: string, bytes: string | Buffer): Promise<RawReply> {
  const socket = await openRawSocket(url)
  try {
    socket.write(bytes)
    return await socket.readReply({ isHead: bytes.toString('latin1').startsWith('HEAD ') })
  } finally {
    socket.destroy()
  }
}

/** A number where the reply is not whole: the bytes that it needs at least. */
function parseReply(bytes: Buffer, hasEnded: boolean, isHead: boolean): { reply: RawReply; length: number } | number {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return 0
  const [statusLine = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n')
  const headers = lines.map((line) => {
    const colon = line.indexOf(': ')
    return [line.slice(0, colon), line.slice(colon + 2)] as const
  })
  const header = (name: string) => {
    const values = headers.filter(([other]) => other.toLowerCase() === name.toLowerCase()).map(([, value]) => value)
    return values.length > 0 ? values.join(', ') : undefined
  }
  const status = Number(statusLine.split(' ')[1])
  const start = headEnd + 4
  const build = (body: Buffer, length: number) => ({
    reply: {
      ...{ statusLine, status, headers, header, body },
      get text() {
        return body.toString() // of a large body, only where a test reads it
      },
    },
    length,
  })
  if (isHead || status < 200 || status === 204 || status === 304) return build(Buffer.alloc(0), start)
  const length = header('content-length')
  if (length === undefined) return hasEnded ? build(bytes.subarray(start), bytes.length) : 0
  const end = start + Number(length)
  return bytes.length < end ? end : build(bytes.subarray(start, end), end)
}
