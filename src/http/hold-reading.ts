/**
 * Stops and resumes the reading of requests from a connection whose calls wait for their turn (specification 7.5). A
 * plain `pause` of the socket is undone by `node:http` at every request; it minds only a switch of its own, which it
 * uses when replies pile up. Where a later Node has no such switch, the bound on waiting calls is left.
 */
import type { Socket } from 'node:net'

interface HttpSocket extends Socket {
  _paused?: boolean
  readonly parser?: { resume(): void } | null
}

export function holdReading(socket: HttpSocket): void {
  socket._paused = true
  socket.pause()
}

export function resumeReading(socket: HttpSocket): void {
  if (!socket._paused) return
  socket._paused = false
  socket.parser?.resume()
  socket.resume()
}

/**
 * Over TLS `node:http` takes what is decrypted past the stream, and a pause does not reach it: all of a packet still
 * comes, and is then taken for a fault of framing. Whoever listens for data has the stream read instead, which can pause.
 */
export function readAsStream(socket: Socket): void {
  socket.on('data', () => {})
}
