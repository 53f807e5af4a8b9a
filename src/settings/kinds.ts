/** Kinds of values of settings: each describes and parses its values (specification 8.2, 8.3). */
import { posix, resolve } from 'node:path'
import { type AddressList, isNetwork, networkRule, openAddressList } from '../base/address-list.ts'
import { isLoopback } from '../base/loopback.ts'
import { parsePostgresUrl, postgresUrlForm } from '../base/postgres-url.ts'
import { parseSize, parseTime, sizeRule, timeRule } from '../base/units.ts'

export interface Kind<T = unknown> {
  /** The permitted values in words, for people. */
  readonly values: string
  /** The only allowed values, if they can be listed. */
  readonly allowed?: readonly string[]
  /** @param eventNames of all events: webhooks have settings that list some @throws Error with the rule for the value */
  readonly parse: (text: string, folder: string, eventNames?: ReadonlySet<string>) => T
}

export const oneOf = <T extends string>(...allowed: readonly T[]) => ({
  values: allowed.join(', '),
  allowed,
  parse: (text: string): T => {
    const found = allowed.find((value) => value === text)
    if (found !== undefined) return found
    throw new Error(`must be one of ${allowed.join(', ')}`)
  },
})
/** A choice of two in any letter case, parsed to a boolean: `on, off`, `true, false`. */
export const yesOrNo = (yes: string, no: string) => {
  const { parse, ...choice } = oneOf(yes, no)
  return { ...choice, parse: (text: string): boolean => parse(text.toLowerCase()) === yes }
}
export const matching = (values: string, pattern: RegExp) => ({
  values,
  parse: (text: string): string => {
    if (pattern.test(text)) return text
    throw new Error(`must be ${values}`)
  },
})
export const file = {
  values: 'file, relative to the project folder',
  parse: (text: string, folder: string) => resolve(folder, text),
}
/** Each with a trailing slash, as prefixes of paths; the project folder itself is an empty string. */
export const folders = {
  values: 'folders of the project, with commas between them',
  parse: (text: string): readonly string[] =>
    listOf(text).map((each) => {
      const folder = posix.normalize(`${each}/`)
      if (each === '' || /^(?:\/|\.\.\/)|\\/.test(folder))
        throw new Error('must be folders within the project, with commas between them')
      return folder === './' ? '' : folder
    }),
}
/** @param unit in the plural: `streams` */
export const whole = (unit: string, min: number, max: number) => ({
  values: `${unit}, ${min} to ${max}`,
  parse: (text: string): number => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (number >= min && number <= max) return number
    throw new Error(`must be a whole number (${unit}) from ${min} to ${max}`)
  },
})
export const port = whole('port', 0, 65_535)
/** Undefined: off. */
export const orOff = <T>({ values, parse }: Kind<T>) => ({
  values: `${values}, or off`,
  parse: (text: string, folder: string): T | undefined => (text === 'off' ? undefined : parse(text, folder)),
})
export const portOrOff = orOff(port)
export const size = {
  values: 'size: bytes, or 8KiB, 256MiB, 2GiB',
  parse: (text: string): number => parseSize(text) ?? refuse(sizeRule),
}
export const time = {
  values: 'time: 500ms, 30s, 5min',
  parse: (text: string): number => parseTime(text) ?? refuse(timeRule),
}
/** An age that no timer waits for: up to 30 days, unlike `time`. */
export const age = {
  values: 'time: 30min, 24h, 7d',
  parse: (text: string): number => {
    const [, digits, unit = ''] = /^(\d{1,5}) ?(s|min|h|d)$/.exec(text) ?? []
    const milliseconds = Number(digits) * (ageUnits[unit] ?? 1)
    if (milliseconds >= 1 && milliseconds <= 30 * 24 * 3_600_000) return milliseconds
    throw new Error('must be a time with its unit, up to 30d: 30min, 24h, 7d')
  },
}
const ageUnits: Readonly<Record<string, number>> = { s: 1000, min: 60_000, h: 3_600_000, d: 24 * 3_600_000 }

/** Splits texts with commas between them. */
export function listOf(text: string): readonly string[] {
  return text.split(',').map((each) => each.trim())
}

function refuse(rule: string): never {
  throw new Error(rule)
}

export const url = {
  values: 'http or https URL',
  parse: (text: string): string => {
    if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text
    throw new Error('must be an http or https URL')
  },
}
/** The URL of an identity provider: https, because its answers are trusted. */
export const providerUrl = {
  values: 'https URL; http on loopback',
  parse: (text: string): string => {
    const { protocol, hostname, search, hash } = URL.canParse(text) ? new URL(text) : new URL('none:')
    const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname.replace(/^\[|\]$/g, '')))
    if (isSafe && search === '' && hash === '') return text
    throw new Error('must be an https URL without query, or an http URL on loopback')
  },
}
export const list = {
  values: 'values, with commas between them',
  parse: (text: string): readonly string[] => {
    const values = text.split(',').map((each) => each.trim())
    if (!values.includes('')) return values
    throw new Error('must be values, with one comma between them')
  },
}
export const database = {
  values: 'SQLite file, or postgres://user:password@host:port/name',
  parse: (text: string, folder: string): string => {
    if (!/^[a-z][a-z0-9+.-]+:/i.test(text)) return resolve(folder, text)
    if (parsePostgresUrl(text)) return text
    throw new Error(`must be the name of an SQLite file or a URL ${postgresUrlForm}`)
  },
}
export const postgresUrl = {
  values: 'postgres://user:password@host:port/name',
  parse: (text: string): string => {
    if (parsePostgresUrl(text)) return text
    throw new Error(`must be a URL ${postgresUrlForm}`)
  },
}
export const addresses = {
  values: 'addresses and networks, with commas between them: 10.0.0.5, 10.1.0.0/16, 2001:db8::/32',
  parse: (text: string): AddressList => {
    const networks = listOf(text)
    const wrong = networks.find((each) => !isNetwork(each))
    if (wrong !== undefined) throw new Error(`${JSON.stringify(wrong.slice(0, 80))} ${networkRule}`)
    return openAddressList(networks)
  },
}
export const origins: Kind<readonly string[]> = {
  values: 'origins with commas between them: https://hr.example, http://10.0.0.7:8080',
  parse: (text) =>
    listOf(text).map((each) => {
      const origin = each.toLowerCase()
      if (URL.canParse(origin) && /^https?:$/.test(new URL(origin).protocol)) {
        const url = new URL(origin)
        if (url.href === `${url.origin}/` && !origin.endsWith('/')) return url.origin
      }
      throw new Error('must be origins, without a path, with commas between them')
    }),
}
export const headerNames = {
  values: 'names of headers, with commas between them',
  parse: (text: string): readonly string[] => {
    const names = listOf(text)
    if (names.every((each) => /^[\w!#$%&'*+.^`|~-]+$/.test(each))) return names
    throw new Error('must be names of headers, with commas between them')
  },
}
export const host = matching('address or host name', /^[\w.:-]+$/)
export const text = matching('text', /^\S.*$/)
export const name = matching('name', /^\S.*$/)
