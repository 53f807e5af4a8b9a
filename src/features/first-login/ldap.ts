/** Verifies a first password by a simple bind at an LDAP server, over TLS (specification 37.15 to 37.17). */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, isIP, type Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { nodeTls } from '../../base/node-tls.ts'
import type { Settings } from '../../settings.ts'
import { asFetchFailure, FetchFailure } from '../../verification/fetch-failure.ts'

const timeout = 5_000
/** Answers to StartTLS and bind are far shorter. */
const maxBytes = 64 * 1024
const invalidCredentials = 49

export function openLdap({ ldap = '', ldapName = '', ldapCa }: Settings['passwords']) {
  const { protocol, hostname, port } = new URL(ldap)
  const isSecure = protocol === 'ldaps:'
  const host = hostname.replace(/^\[|\]$/g, '')
  const place = { host, port: Number(port) || (isSecure ? 636 : 389) }
  const ca = ldapCa === undefined ? {} : { ca: readFileSync(ldapCa) }
  const tls = { ...place, ...ca, ...(isIP(host) === 0 && { servername: host }) }

  return async (id: string, password: string): Promise<boolean> => {
    const { Client, ResultCodeError } = await import('ldapts')
    const signal = AbortSignal.timeout(timeout)
    const connection = openOnce(() => (isSecure ? nodeTls().connect(tls) : connect(place)))
    const upgrade = (options: ConnectionOptions) => {
      connection.requireOneMessage()
      return nodeTls().connect(options)
    }
    const client = new Client({
      url: ldap,
      createConnection: connection.open,
      createSecureConnection: isSecure ? connection.open : upgrade,
    } as ConstructorParameters<typeof Client>[0])
    const bind = async () => {
      if (!isSecure) await client.startTLS({ ...tls })
      await client.bind(nameOf(ldapName, id), password)
    }
    try {
      const timedOut = once(signal, 'abort').then(() => Promise.reject(new FetchFailure('timedOut')))
      await Promise.race([bind(), connection.ended, timedOut])
      return true
    } catch (error) {
      if (!(error instanceof ResultCodeError)) throw asFetchFailure(error)
      if (error.code === invalidCredentials) return false
      throw new FetchFailure('resultCode', error.code)
    } finally {
      connection.close()
    }
  }
}

/** The library connects again where a connection has ended, and would then send the password without StartTLS. */
function openOnce(connectNow: () => Socket) {
  const { promise: ended, reject: end } = Promise.withResolvers<never>()
  ended.catch(() => {})
  let socket: Socket | undefined
  let received = 0
  let beginning = Buffer.alloc(0)
  return {
    open(): Socket {
      if (socket) throw new FetchFailure('notReached', 'closed')
      const opened = connectNow()
      socket = opened
      opened.on('error', end)
      opened.on('close', () => end(new FetchFailure('notReached', 'closed')))
      opened.on('data', (piece: Buffer) => {
        received += piece.length
        if (beginning.length < maxLength) beginning = Buffer.concat([beginning, piece])
        if (received > maxBytes) opened.destroy(new FetchFailure('tooLong'))
      })
      return opened
    },
    /** For StartTLS: the library would read what came behind its answer as if it had come over TLS. */
    requireOneMessage(): void {
      if (received !== lengthOf(beginning)) throw new FetchFailure('notTrusted', 'bytes behind the answer to StartTLS')
    },
    /** Rejects. */
    ended,
    close: () => void socket?.destroy(),
  }
}

/** Bytes of tag and length; the length of a longer message has no place in memory. */
const maxLength = 6

/** The length of a message in BER, its tag and length included. */
function lengthOf(beginning: Buffer): number {
  const short = beginning[1] ?? 0
  const size = short & 0x7f
  if (short < 0x80) return 2 + short
  return size >= 1 && size <= 4 ? 2 + size + beginning.readUIntBE(2, size) : Number.NaN
}

/** In a distinguished name every unusual character is escaped by its bytes (RFC 4514, 2.4). */
function nameOf(template: string, id: string): string {
  const escaped = template.includes('=')
    ? id.replace(/[^\w.@-]/gu, (character) => Buffer.from(character).toString('hex').replace(/../g, '\\$&'))
    : id
  return template.replace('{id}', () => escaped)
}
