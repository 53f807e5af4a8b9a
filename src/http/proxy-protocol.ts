/** Connections on which trusted proxies first send the caller's address (specification 28.6, 28.7). */

import type { Socket } from 'node:net'
import { setTimeout } from '../base/timers.ts'
import { type Arrival, addressOf } from '../model/arrival.ts'
import type { ProxySettings } from '../settings.ts'
import { type EdgeGateway, observeRarely } from './edge.ts'
import { readProxyHeader } from './proxy-header.ts'

/** Reads the header and calls `enter`, with the bytes after it unshifted to the socket; or closes the connection. */
export type ProxyEntrance = (socket: Socket, enter: (statedArrival: Arrival) => void) => void

export function openProxyEntrance({ list }: Pick<ProxySettings, 'list'>, gateway: EdgeGateway): ProxyEntrance {
  const observe = observeRarely(gateway)
  const refuse = (socket: Socket, why: string, from: string) => {
    const message = `Connections are closed that ig.proxyProtocol=true does not allow, such as one from ${from}: ${why}.`
    observe(why, { kind: 'event', level: 'warning', name: 'proxyRefused', message })
    socket.destroy()
  }
  return (socket, enter) => {
    const proxy = addressOf(socket)
    socket.on('error', () => {}) // 'close' follows
    if (!list.includes(proxy)) return refuse(socket, 'it is no trusted proxy (ig.trustedProxies)', proxy)
    let received = Buffer.alloc(0)
    const end = (why?: string) => {
      clearTimeout(timer)
      for (const [event, listener] of Object.entries(listeners)) socket.off(event, listener)
      if (why !== undefined) refuse(socket, why, proxy)
    }
    const listeners = {
      readable() {
        for (let piece: Buffer | null = socket.read(); piece; piece = socket.read())
          received = Buffer.concat([received, piece])
        const header = readProxyHeader(received)
        if (header === 'more') return
        if (header === 'malformed') return end('it does not begin with a header of the PROXY protocol')
        end()
        const { length, address = proxy, isSecure = false } = header
        if (length < received.length) socket.unshift(received.subarray(length))
        enter({ remoteAddress: address, isSecure, proxy })
      },
      end: () => end(received.length > 0 ? 'its header of the PROXY protocol was cut short' : undefined),
      close: () => end(),
    }
    const late = () => end('its header of the PROXY protocol did not come in time')
    const timer = setTimeout(late, gateway.settings.limits.headersTimeout)
    for (const [event, listener] of Object.entries(listeners)) socket.on(event, listener)
  }
}
