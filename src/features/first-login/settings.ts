/** The first login of operators that come from another gateway, verified elsewhere. */
import type { Problem } from '../../model/problem.ts'
import { file, name } from '../../settings/kinds.ts'
import type { Rows, Values } from '../../settings/row.ts'

const secureUrl = {
  values: 'https URL, without credentials',
  parse(text: string): string {
    const { protocol, username, password, hash } = URL.canParse(text) ? new URL(text) : new URL('none:')
    if (protocol === 'https:' && username + password + hash === '') return text
    throw new Error('must be an https URL without credentials and fragment')
  },
}
const ldapUrl = {
  values: 'ldaps or ldap URL of host and port',
  parse(text: string): string {
    if (/^ldaps?:\/\/[^/?#@\s]+\/?$/.test(text) && URL.canParse(text)) return text
    throw new Error('must be a URL of host and port alone: ldaps://ldap.example, or ldap://ldap.example:389')
  },
}
const bindName = {
  values: 'name with {id}: uid={id},ou=people,dc=example or {id}@hr.example',
  parse(text: string): string {
    if (text.split('{id}').length === 2 && /[=@\\]/.test(text)) return text
    throw new Error('must contain {id} once: uid={id},ou=people,dc=example, or {id}@hr.example, or HR\\{id}')
  },
}
const lastDay = {
  values: 'the last day, in UTC: 2027-03-31',
  /** @returns the end of the day */
  parse(text: string): number {
    const day = Date.parse(`${text}T00:00:00Z`)
    if (/^\d{4}-\d\d-\d\d$/.test(text) && new Date(day).toJSON()?.startsWith(text)) return day + 86_400_000
    throw new Error('must be a day: 2027-03-31')
  },
}

export const settings = {
  upstream: {
    key: 'ig.passwords.upstream',
    kind: secureUrl,
    help: 'a Basic operation of the original, which verifies the first password of operators marked firstLogin',
    see: '37.9',
  },
  /** Epoch milliseconds. */
  upstreamUntil: {
    key: 'ig.passwords.upstream.until',
    kind: lastDay,
    help: 'the last day on which the original verifies logins',
    see: '37.9',
  },
  upstreamField: {
    key: 'ig.passwords.upstream.field',
    kind: name,
    default: 'currentUser',
    help: "the field with the operator id in the original's response; data.currentUser is a nested field",
    see: '37.10',
  },
  upstreamCa: {
    key: 'ig.passwords.upstream.ca',
    kind: file,
    help: "PEM certificates of the authority of the original's certificate; by default those that Node.js trusts",
    see: '37.10',
  },
  ldap: {
    key: 'ig.passwords.ldap',
    kind: ldapUrl,
    help: 'an LDAP server, which verifies the first password of operators marked firstLogin; ldap: is upgraded by StartTLS',
    see: '37.15',
  },
  ldapName: {
    key: 'ig.passwords.ldap.name',
    kind: bindName,
    help: 'the name to bind with, for each operator',
    see: '37.15',
  },
  /** Epoch milliseconds. */
  ldapUntil: {
    key: 'ig.passwords.ldap.until',
    kind: lastDay,
    help: 'the last day on which the LDAP server verifies logins',
    see: '37.15',
  },
  ldapCa: {
    key: 'ig.passwords.ldap.ca',
    kind: file,
    help: "PEM certificates of the authority of the LDAP server's certificate; by default those that Node.js trusts",
    see: '37.16',
  },
} as const satisfies Rows

export function* checkSettings({ passwords }: { readonly passwords: Values<typeof settings> }): Iterable<Problem> {
  const { upstream, upstreamUntil, ldap, ldapName, ldapUntil } = passwords
  const needed = [
    [upstream, 'ig.passwords.upstream', 'until', upstreamUntil, 'the last day on which it is asked'],
    [ldap, 'ig.passwords.ldap', 'until', ldapUntil, 'the last day on which it is asked'],
    [ldap, 'ig.passwords.ldap', 'name', ldapName, 'the name to bind with'],
  ] as const
  for (const [server, key, field, value, what] of needed)
    if (server !== undefined && value === undefined)
      yield { path: `${key}.${field}`, message: `is missing: ${key} needs ${what}` }
  if (upstream !== undefined && ldap !== undefined)
    yield { path: 'ig.passwords.ldap', message: 'must not be set beside ig.passwords.upstream: one server is asked' }
}
