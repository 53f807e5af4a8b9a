/**
 * What was thrown, as it is logged: of a message and a stack at most 16 KiB together, because each reader of the log
 * searches all of it for secrets (specification 8.7). A handler can throw any value, of any size and with any getters.
 */
import { types } from 'node:util'
import { cutText, maxText } from './cut-text.ts'

/** Characters. */
const maxFrames = 3 * 1024
const maxStack = 16 * 1024
const maxCauses = 5
const unreadable = '(what was thrown cannot be read)'

/** @returns the same error if it and its causes are short */
export function boundError(error: Error, depth = 0): Error {
  const [name, message, stack] = [read(error, 'name'), read(error, 'message'), read(error, 'stack')]
  const given = readCause(error)
  const cause = depth < maxCauses ? boundThrown(given, depth + 1) : undefined
  const isReadable = name !== undefined && message !== undefined && stack !== undefined
  const isShort = isReadable && message.length <= maxText && name.length + stack.length <= maxStack
  if (isShort && cause === given) return error
  const bounded = new Error(cutText(message ?? unreadable), { cause })
  bounded.name = cutText(name ?? 'Error', 200)
  const messageAt = stack?.indexOf(message ?? '') ?? -1
  const frames = messageAt < 0 ? '' : (stack ?? '').slice(messageAt + (message ?? '').length)
  bounded.stack = `${bounded.name}: ${bounded.message}${cutText(frames, maxFrames)}`
  return bounded
}

/** @returns the same value if its text is short */
export function boundThrown(thrown: unknown, depth = 0): unknown {
  if (thrown === undefined) return undefined
  if (isError(thrown)) return boundError(thrown, depth)
  try {
    const text = String(thrown)
    return text.length <= maxText ? thrown : cutText(text)
  } catch {
    return unreadable
  }
}

/** `instanceof` runs code of a proxy. */
export function isError(thrown: unknown): thrown is Error {
  try {
    return thrown instanceof Error || types.isNativeError(thrown)
  } catch {
    return false
  }
}

function read(error: Error, name: 'name' | 'message' | 'stack'): string | undefined {
  try {
    return String(error[name] ?? '')
  } catch {
    return undefined
  }
}

function readCause(error: Error): unknown {
  try {
    return error.cause
  } catch {
    return unreadable
  }
}
