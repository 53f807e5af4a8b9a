/** Limits the connections of the listeners, and reports when none is accepted (specification 7.8, 20.11). */
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import type { Server, Socket } from 'node:net'
import { devNull } from 'node:os'

export interface ConnectionLimit {
  /** Why new connections are refused at present; undefined if they are not. */
  trouble(): string | undefined
  /** Whether a connection that another process accepted may join those of the listener; reports it if not. */
  admits(server: Server): boolean
  /** Looks whether a connection could be accepted: without a descriptor the system closes it silently. */
  poll(): void
}

/** Reserved for files, logs and the database, on top of a tenth of all descriptors. */
const otherDescriptors = 64
/** Its socket, and a file each for its body and its response; or a connection to an upstream. */
const descriptorsEach = 3

/**
 * @param byMemory connections of a listener for which there is memory
 * @param report called again and again while connections are closed
 */
export function limitConnections(
  servers: readonly Server[],
  byMemory: number,
  report: (message: string) => void,
): ConnectionLimit {
  const descriptors = Math.floor(openFilesLimit() * 0.9) - otherDescriptors
  const maxConnections = Math.max(16, Math.floor(Math.min(byMemory, descriptors / descriptorsEach / servers.length)))
  const fullMessage = `New connections are closed: ${maxConnections} are open, the most that the memory budget (ig.limits.memory) and the limit of open files allow.`
  const noneMessage =
    'New connections are closed: the process has as many files and connections open as its limit of open files allows (ulimit -n, LimitNOFILE).'
  const full = new Set<Server>()
  const open = new Map<Server, number>()
  let hasDescriptor = true
  const refuse = (server: Server) => {
    full.add(server)
    report(fullMessage)
  }
  const count = (server: Server, change: number) => void open.set(server, (open.get(server) ?? 0) + change)
  for (const server of servers) {
    server.maxConnections = maxConnections
    server.on('drop', () => refuse(server))
    server.on('connection', (socket: Socket) => {
      count(server, 1)
      socket.once('close', () => {
        count(server, -1)
        full.delete(server)
      })
    })
  }
  return {
    admits(server) {
      const isAdmitted = (open.get(server) ?? 0) < maxConnections
      if (!isAdmitted) refuse(server)
      return isAdmitted
    },
    trouble() {
      if (!hasDescriptor) return noneMessage
      return full.size > 0 ? fullMessage : undefined
    },
    poll() {
      hasDescriptor = canOpenFile()
      if (!hasDescriptor) report(noneMessage)
    },
  }
}

/** The limit of this process; unlimited if unknown. */
function openFilesLimit(): number {
  const file = '/proc/self/limits'
  const limits = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY)
}

function canOpenFile(): boolean {
  try {
    closeSync(openSync(devNull, 'r'))
    return true
  } catch (error) {
    return !['EMFILE', 'ENFILE'].includes((error as NodeJS.ErrnoException).code ?? '')
  }
}
