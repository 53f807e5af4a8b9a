/** A valid text for an element of a document template, for calls that are shown or tried (specification 9.15, 15.6). */
import { compareDecimals } from '../base/decimal.ts'
import type { PrimitiveType } from './document-template.ts'

export interface ValueConstraints {
  readonly type: PrimitiveType
  readonly length?: number | undefined
  readonly values?: readonly string[] | undefined
  readonly examples?: readonly string[] | undefined
  /** Bounds of a number. */
  readonly minimum?: string | undefined
  readonly maximum?: string | undefined
}

export function sampleValue({ type, length, values, examples, minimum, maximum }: ValueConstraints): string {
  const given = examples?.[0] ?? values?.[0]
  if (given !== undefined) return given
  const text = sampleValues[type].slice(0, length ?? (type === 'Character' ? 1 : undefined))
  if (minimum !== undefined && compareDecimals(text, minimum) < 0) return minimum
  return maximum !== undefined && compareDecimals(text, maximum) > 0 ? maximum : text
}

const sampleValues: Readonly<Record<PrimitiveType, string>> = {
  Binary: 'aGVsbG8',
  Boolean: 'true',
  Character: 'hello',
  Date: '2026-01-31',
  DateTime: '2026-01-31T09:30:00',
  Decimal: '1.5',
  Integer: '1',
  String: 'hello',
  Text: 'hello',
  Time: '09:30:00',
}
