/**
 * An export of the audit: JSON lines, each an entry with its hash, and the head of the chain last (specification
 * 18.35).
 */
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import type { AuditLink } from '../store/administration/audit-chain.ts'
import { Failure } from './explain-failure.ts'
import { show } from './print.ts'

const pageLength = 500

const entryLine = z.strictObject({
  sequence: z.int(),
  time: z.iso.datetime(),
  actor: z.string(),
  via: z.string(),
  address: z.string(),
  action: z.string(),
  subject: z.string(),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
  hash: z.string().optional(),
})
const lastLine = z.strictObject({ entries: z.int(), head: z.string().nullable() })

/** @throws Failure if it is not a complete export */
export async function* readAuditFile(file: string): AsyncGenerator<readonly AuditLink[]> {
  const [lines, count, last] = [createInterface({ input: createReadStream(file) }), { read: 0 }, { hash: '' }]
  let end: z.output<typeof lastLine> | undefined
  let page: AuditLink[] = []
  for await (const line of lines) {
    if (end) throw new Failure(`${show(file)} has lines after its end line.`)
    count.read += 1
    const value = parseLine(line, count.read, file)
    if ('head' in value) {
      end = value
      continue
    }
    last.hash = value.hash ?? last.hash
    if (page.push(toLink(value)) < pageLength) continue
    yield page
    page = []
  }
  yield page
  if (end?.entries !== count.read - 1)
    throw new Failure(`${show(file)} is incomplete: its last line does not state the number of its entries.`)
  if ((end.head ?? '') !== last.hash)
    throw new Failure(`${show(file)} has a head that differs from the hash of its last entry.`)
}

function parseLine(line: string, number: number, file: string) {
  try {
    const value: unknown = JSON.parse(line)
    const parsed = z.union([entryLine, lastLine]).safeParse(value)
    if (parsed.success) return parsed.data
  } catch {}
  throw new Failure(`line ${number} of ${show(file)} is not an entry of an audit export.`)
}

function toLink({ hash, time, before, after, ...rest }: z.output<typeof entryLine>): AuditLink {
  const entry = { ...rest, time: Date.parse(time), before: toJson(before), after: toJson(after) }
  return { sequence: rest.sequence, hash, entry }
}

function toJson(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value)
}
