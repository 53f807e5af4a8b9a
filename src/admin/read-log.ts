/** Reads the last entries of a log file, which is HTML written by `observe/html-log.ts` (specification 18.28). */
import { open } from 'node:fs/promises'
import type { LogLevel } from '../model/observation.ts'

export interface ReadLogEntry {
  readonly time: string
  readonly level: LogLevel
  readonly text: string
  readonly operation: string | null
  readonly operator: string | null
  readonly transactionId: string | null
  readonly details: { readonly title: string; readonly text: string }[]
}

export interface LogFilter {
  /** Minimum level. */
  readonly level?: LogLevel | undefined
  readonly transaction?: string | undefined
  /** Part of what is shown, case-insensitive. */
  readonly search?: string | undefined
  /** ISO 8601. */
  readonly from?: string | undefined
  /** Exclusive. */
  readonly to?: string | undefined
  readonly limit: number
}

const tail = 4 * 1024 ** 2
const levels: readonly LogLevel[] = ['exception', 'error', 'warning', 'information', 'debug']

/**
 * Newest first; empty if there is no file yet.
 * @param show leaves out what the reader may not see, before the search
 */
export async function readLog(
  path: string,
  { level = 'debug', transaction, search, from, to, limit }: LogFilter,
  show: (entry: ReadLogEntry) => ReadLogEntry = (entry) => entry,
): Promise<readonly ReadLogEntry[]> {
  const wanted = search?.toLowerCase()
  const [begin, end] = [toTime(from) ?? Number.NEGATIVE_INFINITY, toTime(to) ?? Number.POSITIVE_INFINITY]
  const entries: ReadLogEntry[] = []
  for (const article of (await readTail(path)).split(/^(?=<article )/m).reverse()) {
    if (entries.length >= limit) break
    if (transaction !== undefined && !article.includes(transaction)) continue
    const entry = parseEntry(article)
    if (!entry || levels.indexOf(entry.level) > levels.indexOf(level)) continue
    if (transaction !== undefined && entry.transactionId !== transaction) continue
    const time = Date.parse(entry.time)
    if (time < begin || time >= end) continue
    const shown = show(entry)
    if (wanted === undefined || isFound(shown, wanted)) entries.push(shown)
  }
  return entries
}

function toTime(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text)
}

function isFound({ text, details }: ReadLogEntry, wanted: string): boolean {
  return [text, ...details.map((detail) => detail.text)].some((each) => each.toLowerCase().includes(wanted))
}

async function readTail(path: string): Promise<string> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (!file) return ''
  try {
    const { size } = await file.stat()
    const length = Math.min(size, tail)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}

function parseEntry(article: string): ReadLogEntry | undefined {
  const [, level, time, content] =
    /^<article class="(\w+)"><time datetime="([^"]+)">.*?<\/strong> <div>(.*)<\/div><\/article>/s.exec(article) ?? []
  if (level === undefined || time === undefined || content === undefined) return undefined
  const facts = /<p class="facts">(.*?)<\/p>/s.exec(content)?.[1] ?? ''
  const findFact = (name: string) => {
    const [, value] = new RegExp(`<span>${name} <b>([^<]*)</b>`).exec(facts) ?? []
    return value === undefined ? null : toText(value)
  }
  const details = [...content.matchAll(/<details><summary>(.*?)<\/summary><pre>(.*?)<\/pre><\/details>/gs)].map(
    ([, title = '', text = '']) => ({ title: toText(title), text: toText(text) }),
  )
  const text = toText(content.replace(/<details>.*$/s, '').replace(/<\/(?:p|span)>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim()
  const [operation, operator, transactionId] = [findFact('operation'), findFact('operator'), findFact('transaction')]
  return { level: level as LogLevel, time, text, operation, operator, transactionId, details }
}

function toText(html: string): string {
  return html.replace(/<[^>]*>/g, '').replace(/&(lt|gt|quot|amp);/g, (_, entity: string) => entities[entity] ?? '')
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' }
