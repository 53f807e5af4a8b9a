/** Loaded before a process's own code: its system refuses to share a port, as macOS and Windows do. */
import { Server } from 'node:net'

const { listen } = Server.prototype
Server.prototype.listen = function (options, ...others) {
  if (!options?.reusePort) return listen.call(this, options, ...others)
  const error = Object.assign(new Error('listen ENOTSUP: operation not supported'), {
    code: 'ENOTSUP',
    port: options.port,
  })
  process.nextTick(() => this.emit('error', error))
  return this
}
