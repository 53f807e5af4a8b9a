/**
 * Hostile texts through every writer: what is written is read back by a reader that shares no code with it, and must be exactly
 * the text, and nothing beside it (specification 8.8, 16.10).
 */
import { isDeepStrictEqual } from 'node:util'
import { quoteShell, writeJson, writeProperty } from '../../src/base/escape.ts'
import { writeHtmlEntry } from '../../src/observe/html-log.ts'
import { openJsonLines, openTextLines } from '../../src/observe/line-log.ts'
import { type LogEntry, writeEntry } from '../../src/observe/log-entry.ts'
import { writeLiteral } from '../../src/project/write-literal.ts'
import { alignColumns, colours, print, printJson, show, warn } from '../../src/terminal/print.ts'
import { runOn, type Terminal } from '../../src/terminal/terminal.ts'
import { descriptions } from '../features/descriptions/hostile-texts.ts'
import { makeHostile } from '../support/hostile.ts'
import { fromHar, fromWadl, fromYaml, inGroups, readImport } from '../support/import-back.ts'
import { findOrder, readMarkup, readModule, readProperties, readWords } from '../support/read-back.ts'
import type { Ordeal, Tally } from './ordeal.ts'

const perTrial = 250

export const writers: Ordeal = {
  name: 'writers',
  title: 'hostile texts through import, stand-in, configuration, properties, shell, terminal and log writers',
  figure: '100,000 texts, each read back as it was: no setting, path, terminal control or markup escapes',
  trials: 400,
  open: async ({ say }) => ({
    async trial(_index, random) {
      const texts = Array.from({ length: perTrial }, () => makeHostile(random))
      const { tally, escapes } = tryWriters(texts)
      for (const line of escapes.slice(0, 10)) say(line)
      return { texts: texts.length, escapes: escapes.length, ...tally }
    },
    close: async () => {},
  }),
  judge({ texts, escapes, ...tally }, trials) {
    const short = Object.keys(writersByName).filter((name) => (tally[name] ?? 0) < (leastOf[name] ?? perTrial) * trials)
    return [
      ...(texts === trials * perTrial ? [] : [`${texts} texts were tried, not ${trials * perTrial}`]),
      ...(escapes === 0 ? [] : [`${escapes} escapes`]),
      ...short.map((name) => `${name}: only ${tally[name] ?? 0} were read back`),
    ]
  },
}

/** Several texts make one project; an import that is refused writes none. */
const leastOf: Readonly<Record<string, number>> = { recordings: 15, wadl: 5, openapi: 5 }

/** @returns how much was read back, and what was not what it should be */
export function tryWriters(texts: readonly string[], table = writersByName) {
  const tally: Record<string, number> = {}
  const escapes: string[] = []
  for (const [name, read] of Object.entries(table)) {
    const report = (what: string, text: unknown) => void escapes.push(`${name}: ${what}: ${JSON.stringify(text)}`)
    const counts = read(texts, report)
    for (const [counted, count] of Object.entries(typeof counts === 'number' ? { [name]: counts } : counts))
      tally[counted] = (tally[counted] ?? 0) + count
  }
  return { tally: tally as Tally, escapes }
}

type Report = (what: string, text: unknown) => void
/** Writes the texts, reads them back. @returns how many times */
type ReadBack = (texts: readonly string[], report: Report) => number | Tally

/** One text after the other. */
const each =
  (read: (text: string) => unknown): ReadBack =>
  (texts, report) => {
    for (const text of texts) {
      try {
        const fault = read(text)
        if (fault !== undefined) report(String(fault), text)
      } catch (error) {
        report((error as Error).message, text)
      }
    }
    return texts.length
  }

const unless = (holds: boolean, fault: string) => (holds ? undefined : fault)

const lines: string[] = []
const output = { write: (line: string) => void lines.push(line) }
const lineWriters = [openTextLines(output, false), openJsonLines(output)]

export const writersByName: Readonly<Record<string, ReadBack>> = {
  properties: each((text) => {
    const read = readProperties(`# head\n${writeProperty('ig.gatewayPath', text)}\nig.platformName=x\n`)
    return unless(isDeepStrictEqual({ ...read }, { 'ig.gatewayPath': text, 'ig.platformName': 'x' }), 'other settings')
  }),

  typescript: each((text) => {
    const value = { [text]: [text, { ['__proto__']: text }], plain: { text, [`${text}1`]: 1 } }
    const source = `export default ${writeLiteral(value)} satisfies object\n`
    return findOrder(source) ?? unless(isDeepStrictEqual(readModule(source), { default: value }), 'another value')
  }),

  json: each((text) => {
    const value = { [text]: [text], ['__proto__']: text }
    const written = writeJson(value, 2)
    return findOrder(written) ?? unless(isDeepStrictEqual(JSON.parse(written), value), 'another value')
  }),

  htmlLog: each((text) => {
    const [entry, plain] = [text, 'plain'].map((one) =>
      writeEntry({ kind: 'event', level: 'error', name: one, message: one, detail: { [one]: one } }, 5, 0),
    )
    if (!entry || !plain) return 'no entry'
    const page = writeHtmlEntry(entry)
    const { tags, texts } = readMarkup(page)
    const isSame = isDeepStrictEqual(tags, readMarkup(writeHtmlEntry(plain)).tags)
    const has = [entry.message, entry.texts[0]?.text ?? ''].every((one) => texts.join('').includes(one))
    const ownLines = (written: LogEntry) => count(writeHtmlEntry(written)) - count(written.texts[0]?.text ?? '')
    const isAsLong = ownLines(entry) === ownLines(plain)
    return findOrder(page) ?? unless(isSame, 'markup') ?? unless(has, 'another text') ?? unless(isAsLong, 'a line more')
  }),

  lineLog: each((text) => {
    lines.length = 0
    const entry = writeEntry({ kind: 'event', level: 'warning', name: text, message: text }, 5, 0)
    for (const writeLine of lineWriters) writeLine(entry)
    const [line = '', json = ''] = lines
    const { message } = JSON.parse(json)
    return (
      findOrder(lines.join('')) ?? unless(count(line) === 1 && count(json) === 1 && message === entry.message, 'a line')
    )
  }),

  terminal: each((text) => {
    const [plain, painted] = [printed(false, text), printed(true, text)]
    const own = ['\x1b[1m', '\x1b[33m', '\x1b[0m'].reduce((rest, colour) => rest.replaceAll(colour, ''), painted)
    const hasOurs = painted.split('\x1b').length === 5 && own === plain
    return findOrder(plain) ?? unless(hasOurs, 'a colour')
  }),

  shell(texts, report) {
    const words = texts.map((text) => text.toWellFormed().replaceAll('\0', '')) // no argument has one
    const quoted = words.map(quoteShell)
    const read = readWords(quoted)
    for (const [at, word] of words.entries()) {
      if (read[at] !== word) report(`is read as ${JSON.stringify(read[at])}`, word)
      const order = findOrder(quoted[at] ?? '') ?? (quoted[at]?.includes('\n') ? 'a line' : undefined)
      if (order) report(order, word)
    }
    if (read.length !== words.length) report('words', read.length)
    return read.length
  },

  descriptions,
  recordings: (texts, report) =>
    inGroups(texts, 8, (group) => countImport(readImport(fromHar(group), group, report), 'recordings')),
  wadl: (texts, report) =>
    inGroups(texts, 10, (group) => countImport(readImport(fromWadl(group), group, report), 'wadl')),
  openapi: (texts, report) =>
    inGroups(texts, 10, (group) => countImport(readImport(fromYaml(group), group, report), 'openapi')),
}

function countImport(isWritten: boolean, name: string): Tally {
  return { [isWritten ? name : 'refused']: 1 }
}

/** All that the command line prints with, once. */
function printed(isTTY: boolean, text: string): string {
  let written = ''
  const stream = { isTTY, write: (more: string) => void (written += more) }
  runOn({ stdout: stream, stderr: stream, env: {} } as unknown as Terminal, () => {
    print(show(text))
    print(colours().bold(text))
    printJson({ [text]: text })
    warn(show(text))
    const rows = alignColumns([
      ['a', 'b'],
      [text, text],
    ])
    print(rows.join('\n'))
    if (rows.some((row) => row.includes('\n'))) written += '\x1b'
  })
  return written
}

function count(text: string): number {
  return text.split('\n').length - 1
}
