/**
 * The certificate of a TLS listener, read again when its files change: renewal needs no restart (specification 7.12,
 * 7.13).
 */

import { constants } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { SecureContextOptions } from 'node:tls'
import { nodeTls } from '../base/node-tls.ts'
import { setTimeout } from '../base/timers.ts'
import type { Observe } from '../model/observation.ts'
import type { TlsSettings } from '../settings.ts'
import { findKeyProblem } from './key-file.ts'
import { requirePair } from './pair.ts'

interface Certificate extends SecureContextOptions {
  readonly cert: string
  readonly key: string
  readonly ca?: string
  readonly crl?: string
}

/** The settings of a listener that may request client certificates. */
interface ListenerSettings extends TlsSettings {
  readonly clientCa?: string | undefined
  readonly clientCrl?: string | undefined
}

/** @throws the system's error if a file cannot be read; `EMPTY` if it is empty; OpenSSL's if they are not a pair */
export async function readCertificate(tls: ListenerSettings): Promise<Certificate> {
  const read = await readFiles(tls)
  requireUsable(read, tls)
  return read
}

async function readFiles(tls: ListenerSettings): Promise<Certificate> {
  const { minVersion, maxVersion, ciphers, clientCa, clientCrl } = tls
  const [cert, key] = await Promise.all([readText(tls.cert), readText(tls.key)])
  const pair = { cert, key, minVersion, maxVersion, ciphers }
  if (clientCa === undefined) return pair
  const crl = clientCrl === undefined ? {} : { crl: await readText(clientCrl) }
  // Without tickets, as a resumed session would not check whether the client's certificate was revoked since: D-634
  return { ...pair, ca: await readText(clientCa), ...crl, secureOptions: constants.SSL_OP_NO_TICKET }
}

const textOf = ({ cert, key, ca, crl }: SecureContextOptions) => [cert, key, ca, crl].join('\n')

function requireUsable(read: Certificate, tls: TlsSettings): void {
  nodeTls().createSecureContext(read) // fails for an invalid certificate or key
  requirePair(read.cert, read.key, tls)
}

/** Refuses an empty file: Node would serve TLS without a certificate, and every handshake would fail. */
async function readText(path: string): Promise<string> {
  const text = await readFile(path, 'utf8')
  if (text === '') throw Object.assign(new Error(`${path} is empty`), { code: 'EMPTY', path })
  return text
}

export interface FollowedCertificate {
  readonly tls: ListenerSettings
  /** The pair that the server was opened with. */
  readonly read: SecureContextOptions
  readonly server: { setSecureContext(options: SecureContextOptions): void }
  readonly observe: Observe
  /** Called when the trusted or revoked client certificates have changed. */
  readonly onTrust?: () => void
  /** Milliseconds; tests poll more often. */
  readonly every?: number
}

/** Milliseconds. Files are polled, not watched: a replaced link or a network file system sends no events. */
const pollInterval = 1000

/** @returns a function that stops following */
export function followCertificate(followed: FollowedCertificate): () => void {
  const { tls, read, server, observe, onTrust, every = pollInterval } = followed
  const files = [tls.cert, tls.key, tls.clientCa, tls.clientCrl].filter((file) => file !== undefined)
  const refuse = (code = 'they cannot be used', file = files.join(', ')) => {
    const message = `Changed files of TLS are not used (${file}): ${code}. The previous ones stay in use.`
    observe({ kind: 'event', level: 'error', name: 'certificateRefused', message })
  }
  let used = textOf(read)
  let trusted = `${read.ca} ${read.crl}`
  let tried = used
  const poll = async () => {
    const found = await readFiles(tls).catch((error: NodeJS.ErrnoException) => error)
    const problem = tls.strictFiles ? findKeyProblem(tls.key) : undefined
    const state = found instanceof Error ? `${found.code}` : `${textOf(found)}${problem ?? ''}`
    if (state === tried) return
    tried = state
    if (state === used) return
    if (found instanceof Error) return refuse(found.code, found.path)
    if (problem !== undefined) return refuse(`the key ${problem}`)
    try {
      requireUsable(found, tls)
      server.setSecureContext(found)
    } catch (error) {
      return refuse((error as NodeJS.ErrnoException).code) // its text may quote the file
    }
    used = state
    if (trusted !== `${found.ca} ${found.crl}`) onTrust?.()
    trusted = `${found.ca} ${found.crl}`
    const message = `Read the changed certificate ${tls.cert}. New connections use it.`
    observe({ kind: 'event', level: 'information', name: 'certificateReloaded', message })
  }
  const ending = new AbortController()
  const pollLater = () => {
    const timer = setTimeout(() => void poll().finally(pollLater), every).unref()
    if (ending.signal.aborted) clearTimeout(timer)
    else ending.signal.onabort = () => clearTimeout(timer)
  }
  pollLater()
  return () => ending.abort()
}
