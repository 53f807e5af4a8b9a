/**
 * Lets a test's process end although modules of a project have left timers or connections open (specification 11.4).
 * Only what is made within `asProject` counts: a test keeps its own.
 */
import { AsyncLocalStorage, createHook } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'

interface Handle {
  unref(): unknown
}

const ofProject = new AsyncLocalStorage<true>()
const held = new Set<WeakRef<Handle>>()
let gateways = 0
/** Number of handles from which those that are gone are removed. */
let nextSweep = 1000

const hook = createHook({
  init(_id, type, _trigger, resource) {
    if (type === 'Timeout' && ofProject.getStore()) hold(resource as NodeJS.Timeout)
  },
})
const onSocket = (message: unknown) => {
  if (ofProject.getStore()) hold((message as { readonly socket: Socket }).socket)
}

/** Runs code of a project. */
export function asProject<Result>(work: () => Result): Result {
  return ofProject.run(true, work)
}

export function beginWatching(): void {
  gateways += 1
  if (gateways > 1) return
  hook.enable()
  subscribe('net.client.socket', onSocket)
}

/** The last gateway is closed. */
export function releaseHandles(): void {
  gateways -= 1
  if (gateways > 0) return
  hook.disable()
  unsubscribe('net.client.socket', onSocket)
  for (const each of held) each.deref()?.unref()
  held.clear()
}

function hold(one: Handle): void {
  held.add(new WeakRef(one))
  if (held.size < nextSweep) return
  for (const each of held) if (!each.deref()) held.delete(each)
  nextSweep = held.size * 2 + 1000
}
