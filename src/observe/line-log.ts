/** A log entry as a line of standard output: JSON for machines, or text for developers (specification 8.5). */
import { writeJson } from '../base/escape.ts'
import type { LogLevel } from '../model/observation.ts'
import type { LogEntry } from './log-entry.ts'

export interface LineOutput {
  write(text: string): unknown
}

export type WriteLine = (entry: LogEntry) => void

/**
 * One JSON object on each line: level, time, message, then the facts; the detail of a note is an object too. Whole messages
 * stay in the message log.
 */
export function openJsonLines(output: LineOutput): WriteLine {
  return ({ time, severity, message, facts, texts, detail }) => {
    const more = Object.fromEntries(texts.map(({ title, text }) => [title.toLowerCase(), text]))
    const line = { level: severity, time: new Date(time).toISOString(), ...facts, ...more, message }
    output.write(`${detail === undefined ? JSON.stringify(line) : writeJson({ ...line, detail })}\n`)
  }
}

/** `09:31:02  GET METADATA.v1/  200  GUEST  1.2 ms`, with errors on a line below. */
export function openTextLines(output: LineOutput, hasColor: boolean): WriteLine {
  const paint = (code: string, text: string) => (hasColor ? `\x1b[${code}m${text}\x1b[0m` : text)
  return ({ time, severity, message, facts, texts }) => {
    const clock = paint('2', new Date(time).toTimeString().slice(0, 8))
    const { method, url, status, operator, durationMs, refusal, cached } = facts
    const colour = colours[severity]
    const lines: string[] = []
    if (method === undefined) {
      lines.push(`${clock}  ${severity === 'information' ? message : paint(colour, message)}`)
    } else {
      const mark = paint(refusal === undefined ? '32' : colour, String(status))
      const about = [operator, cached && 'from the cache', refusal, `${durationMs} ms`].filter(Boolean).join('  ')
      lines.push(
        `${clock}  ${mark}  ${String(method).padEnd(6)} ${misdirected.has(String(refusal)) ? url : shortUrl(String(url))}  ${paint('2', about)}`,
      )
      if (refusal !== undefined) lines.push(`               ${paint(colour, message)}`)
    }
    if (severity === 'exception' || severity === 'error') {
      lines.push(...texts.map(({ text }) => text.replace(/^/gm, '          ')))
    }
    output.write(`${lines.join('\n')}\n`)
  }
}

const colours: Readonly<Record<LogLevel, string>> = {
  exception: '31',
  error: '31',
  warning: '33',
  information: '0',
  debug: '2',
}

/** The mistake is in the part that is always the same otherwise. */
const misdirected: ReadonlySet<string> = new Set(['pathUnknown', 'nodeUnknown', 'operationNotFound'])

/** The URL from the operation on: the part before it is always the same. */
function shortUrl(url: string): string {
  return url.replace(/^\/[^?]+?\/RESTListeningConnector\/[^/?]+\//, '')
}
