/** Secrets that are known by a mark, and looked for in each form that a text can be written in (specification 8.7). */
import type { Random } from './ordeal.ts'

export interface Marks {
  /** A new secret. @param what names it in the report */
  secret(what: string): string
  /** One that the gateway made. */
  add(what: string, secret: string): void
  /** Sent beside the secrets, and to be found: else a place was not searched. */
  readonly readable: string
  sent(): number
  /** What of the secrets a place has. */
  find(place: string): readonly string[]
}

export function openMarks(random: Random): Marks {
  const digits = (count: number) => Array.from({ length: count }, () => Math.floor(random() * 16).toString(16)).join('')
  const core = `Zq${digits(8)}`
  const names = new Map<string, string>()
  return {
    secret(what) {
      const secret = `${core}x${digits(8)}`
      names.set(secret, what)
      return secret
    },
    add: (what, secret) => void names.set(secret, what),
    readable: `readable${digits(8)}`,
    sent: () => names.size,
    find(place) {
      const plain = [...names].filter(([secret]) => place.includes(secret)).map(([, what]) => what)
      if (plain.length > 0) return plain
      const form = Object.entries(formsOf(core)).find(([, written]) => place.includes(written))
      return form ? [`a secret in ${form[0]}`] : []
    },
  }
}

/** Of the beginning that all of them have: its first and last characters may be one with what is beside them. */
function formsOf(core: string): Readonly<Record<string, string>> {
  const each = (write: (code: number) => string) =>
    [...core].map((character) => write(character.charCodeAt(0))).join('')
  const hex = (code: number) => code.toString(16).padStart(2, '0')
  const base64 = [0, 1, 2].map((shift) => {
    const text = Buffer.from(' '.repeat(shift) + core).toString('base64')
    return [`base64 at ${shift}`, text.slice(shift + 1, Math.floor(((core.length + shift) * 8) / 6) - 1)] as const
  })
  return {
    ...Object.fromEntries(base64),
    plain: core,
    percent: each((code) => `%${hex(code)}`),
    'percent in capitals': each((code) => `%${hex(code).toUpperCase()}`),
    'escapes of JSON': each((code) => `\\u00${hex(code)}`),
    'character references': each((code) => `&#x${hex(code)};`),
    hexadecimal: each(hex),
    'UTF-16': each((code) => `${String.fromCharCode(code)}\u0000`),
  }
}
