/**
 * Values that neither database gets, because one would refuse them and the other store something else (specification
 * 5.8, 5.9).
 */
import { Refusal } from '../model/refusal.ts'

/**
 * @throws Refusal `bodyMalformed` for a NUL: URL and headers have none, so it came from a body
 * @throws TypeError for values without a database type, which PostgreSQL's driver would store as text: `{}`,
 * `Symbol(…)`, or a function's source
 */
export function requireStorable(value: unknown): void {
  if (Array.isArray(value)) return void value.forEach(requireStorable)
  if (typeof value === 'function') throw new TypeError('A function cannot be stored: call it')
  if (typeof value === 'symbol') throw new TypeError('A symbol cannot be stored')
  if (value instanceof Promise) throw new TypeError('A promise cannot be stored: await it first')
  if (typeof value !== 'string' || !value.includes('\0')) return
  const detail = 'A text in the request body has a NUL character, which cannot be stored.'
  throw new Refusal('bodyMalformed', 'a text that was to be bound to a statement has a NUL', { detail })
}
