/** Loaded before a gateway's own code: addresses of loopback beyond 127.0.0.1 stand for networks (127.7.0.1 is 10.7.0.1). */
import { Server } from 'node:net'

const { emit } = Server.prototype
Server.prototype.emit = function (name, ...given) {
  const [socket] = given
  if (name === 'connection') {
    const value = socket.remoteAddress?.replace(/(?<=^|:)127\.(?!0\.0\.1$)/, '10.')
    Object.defineProperty(socket, 'remoteAddress', { value })
  }
  return emit.call(this, name, ...given)
}
