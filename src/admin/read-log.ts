/** Reads the last entries of a log file, which is HTML written by `observe/html-log.ts` (specification 18.28). */
import { open } from 'node:fs/promises'
import type { LogLevel } from '../model/observation.ts'

export interface ReadLogEntry {
  readonly time: string
  readonly level: LogLevel
  readonly text: string
  readonly transactionId: string | null
  readonly details: { readonly title: string; readonly text: string }[]
}

export interface LogFilter {
  /** Minimum level. */
  readonly level?: LogLevel | undefined
  readonly transaction?: string | undefined
  readonly limit: number
}

const tail = 4 * 1024 ** 2
const levels: readonly LogLevel[] = ['exception', 'error', 'warning', 'information', 'debug']

/** Newest first; empty if there is no file yet. */
export async function readLog(
  path: string,
  { level = 'debug', transaction, limit }: LogFilter,
): Promise<readonly ReadLogEntry[]> {
  const entries: ReadLogEntry[] = []
  for (const article of (await readTail(path)).split(/^(?=<article )/m).reverse()) {
    if (entries.length >= limit) break
    if (transaction !== undefined && !article.includes(transaction)) continue
    const entry = parseEntry(article)
    if (!entry || levels.indexOf(entry.level) > levels.indexOf(level)) continue
    if (transaction !== undefined && entry.transactionId !== transaction) continue
    entries.push(entry)
  }
  return entries
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
  const [, transactionId = null] = /transaction <b>([^<]*)<\/b>/.exec(content) ?? []
  const details = [...content.matchAll(/<details><summary>(.*?)<\/summary><pre>(.*?)<\/pre><\/details>/gs)].map(
    ([, title = '', text = '']) => ({ title: toText(title), text: toText(text) }),
  )
  const text = toText(content.replace(/<details>.*$/s, '').replace(/<\/(?:p|span)>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim()
  return { level: level as LogLevel, time, text, transactionId, details }
}

function toText(html: string): string {
  return html.replace(/<[^>]*>/g, '').replace(/&(lt|gt|quot|amp);/g, (_, entity: string) => entities[entity] ?? '')
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' }
