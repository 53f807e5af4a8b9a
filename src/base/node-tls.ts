/**
 * `node:tls` and `node:https`, loaded with the first connection or setting that is encrypted: they take 12 ms of processor
 * time of a start.
 */
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'

export const nodeTls = () => process.getBuiltinModule('node:tls')
export const nodeHttps = () => process.getBuiltinModule('node:https')

/** No other socket has this field. */
export const isEncrypted = (socket: Socket): socket is TLSSocket => 'encrypted' in socket
