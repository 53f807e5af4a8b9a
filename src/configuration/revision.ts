/**
 * Revisions: a configuration under a number, immutable; and activations, which make one active (specification 13.1).
 * A document is the configuration as JSON with an item a line, so that it can be read in small steps.
 */
import { createHash } from 'node:crypto'
import { atOnce } from '../base/at-once.ts'
import { canonicalSteps, listNames } from './canonical.ts'
import type { Configuration } from './configuration.ts'

export interface RevisionSummary {
  readonly number: number
  /** Epoch milliseconds. */
  readonly created: number
  readonly note: string
  /** Alike for configurations that say the same. */
  readonly digest: string
  /** Who made it, if that is known. */
  readonly author: string | null
}

export interface Revision extends RevisionSummary {
  /** The configuration as `writeDocument` wrote it. */
  readonly document: string
}

/** A revision was activated; the latest activation counts. */
export interface Activation {
  /** Grows from one to the next, not always by one. */
  readonly sequence: number
  readonly revision: number
  /** Epoch milliseconds. */
  readonly time: number
  readonly note: string
}

/** With all defaults: a later version of the gateway may have others, and a revision stays what it was. */
export function writeDocument(configuration: Configuration): string {
  return atOnce(documentSteps(configuration))
}

/** A step for each line. */
export function* documentSteps(configuration: Configuration): Generator<void, string> {
  const lists: string[] = []
  for (const [list, items] of Object.entries(configuration)) {
    if (!Array.isArray(items)) {
      lists.push(`${JSON.stringify(list)}: ${JSON.stringify(items)}`)
      continue
    }
    const lines: string[] = []
    for (const item of items) {
      lines.push(toAscii(JSON.stringify(item)))
      yield
    }
    lists.push(`${JSON.stringify(list)}: [\n${lines.join(',\n')}${lines.length === 0 ? '' : '\n'}]`)
  }
  return `{\n${lists.join(',\n')}\n}\n`
}

/** So that it can be cut anywhere, and means the same to every database. */
function toAscii(json: string): string {
  return json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** A step for each line. */
export function* readDocument(document: string): Generator<void, Configuration> {
  const lists: Record<string, unknown> = {}
  let items: unknown[] = []
  let begin = 0
  while (begin < document.length) {
    const end = document.indexOf('\n', begin)
    const line = document.slice(begin, end < 0 ? document.length : end)
    begin = end < 0 ? document.length : end + 1
    const [, list, value] = /^"(\w+)": (?:\[$|(".*?"),?$)/.exec(line) ?? []
    if (list !== undefined && value !== undefined) lists[list] = JSON.parse(value)
    else if (list !== undefined) lists[list] = items = []
    else if (line.length > 2) items.push(JSON.parse(line.endsWith(',') ? line.slice(0, -1) : line))
    yield
  }
  for (const list of listNames) lists[list] ??= []
  return lists as unknown as Configuration
}

export function digestConfiguration(configuration: Configuration): string {
  return atOnce(digestSteps(configuration))
}

/** The digest of the JSON of all items in one list. */
export function* digestSteps(configuration: Configuration): Generator<void, string> {
  const digest = createHash('sha256').update('[')
  for (const [index, { list, id, text }] of (yield* canonicalSteps(configuration)).entries()) {
    digest.update(`${index === 0 ? '' : ','}${JSON.stringify([list, id, text])}`)
    yield
  }
  return digest.update(']').digest('hex')
}
