/** Choices from a seeded source, and texts that break readers. */
import { hostilePieces, makeHostile } from '../../support/hostile.ts'
import type { Random } from '../ordeal.ts'

export const below = (random: Random, most: number): number => Math.floor(random() * most)

export function pick<T>(random: Random, from: readonly T[]): T {
  return from[below(random, from.length)] as T
}

/** So many hexadecimal digits, never all zero. */
export function hex(random: Random, digits: number): string {
  return Array.from({ length: digits }, () => (1 + below(random, 15)).toString(16)).join('')
}

/** What breaks a reader of URLs. */
const urlPieces = [
  ...['%', '%4', '%GG', '%00', '%0a', '%0d%0a', '%20', '%2f', '%2F', '%5c', '%25', '%252f', '%23', '%3f', '%3b', '%7f'],
  ...['%c0%af', '%e0%80%af', '%f0%80%80%af', '%c1%9c', '%ed%a0%80', '%ff', '%fe%ff', '%f4%90%80%80', '%80', '%e2%82'],
  ...[
    '..',
    '.',
    '/../',
    '/./',
    '%2e%2e',
    '.%2e',
    '..%2f',
    '..;',
    '\\..\\',
    '//',
    '///',
    ';a=b',
    ';jsessionid=1',
    '.v1',
  ],
  ...[
    '?',
    '??',
    '&',
    '&&',
    '=',
    '==',
    '+',
    '#',
    '*',
    '@',
    ':',
    '[',
    ']',
    '{',
    '}',
    '|',
    '^',
    '`',
    '"',
    '<',
    '>',
    ' ',
    '\t',
  ],
  ...[
    '\x00',
    '\x01',
    '\x7f',
    '\x80',
    '\xff',
    'Ã©',
    '%C3%A9',
    '%F0%9F%98%80',
    '%e2%80%ae',
    'value-to-echo=',
    'transaction=',
  ],
  ...[
    'RESTListeningConnector',
    'PSIGW',
    'LOCAL_NODE',
    'METADATA.v1',
    'ECHO.v1',
    'KEY_VALUE.v1',
    'healthz',
    '.V1',
    '.v0',
  ],
  ...['.v01', '.v99999999999999999999', '.v-1', '__proto__', 'constructor', 'toString', '-1', '1e999', 'NaN'],
]

/** Of one byte each character, without a line end. */
export function makeUrlPiece(random: Random): string {
  if (random() < 0.7) return pick(random, urlPieces)
  if (random() < 0.5)
    return Buffer.from(pick(random, hostilePieces))
      .toString('latin1')
      .replace(/[\r\n]/g, ' ')
  return encodeURIComponent(makeHostile(random).toWellFormed())
}

/** Any change of a text but none: something inserted, removed, doubled, replaced or cut off. */
export function mutate(random: Random, text: string, piece: string): string {
  const at = below(random, text.length + 1)
  const to = Math.min(text.length, at + 1 + below(random, 8))
  const changes = [
    () => text.slice(0, at) + piece + text.slice(at),
    () => text.slice(0, at) + piece + text.slice(to),
    () => text.slice(0, at) + text.slice(to),
    () => text.slice(0, to) + text.slice(at),
    () => text.slice(0, at),
  ]
  return pick(random, changes)()
}
