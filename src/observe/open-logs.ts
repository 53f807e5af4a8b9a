/**
 * The logs: the structured log on standard output, msgLog.html and errorLog.html, all observers of the stream of
 * observations (specification 8.5 to 8.7).
 */
import { preciseTime } from '../base/precise-time.ts'
import type { Observation, Observe } from '../model/observation.ts'
import type { Settings } from '../settings.ts'
import { writeHtmlEntry, writeHtmlHead } from './html-log.ts'
import { type LineOutput, openJsonLines, openTextLines } from './line-log.ts'
import { findLogs, type LogEntry, type LogName, writeEntry } from './log-entry.ts'
import { type LogFile, openLogFile } from './log-file.ts'
import { maskings } from './masking/masking.ts'
import { openRefusedCalls } from './refused-calls.ts'

export interface LogOptions {
  /** Default: `json`. */
  readonly format?: 'json' | 'text'
  /** Writes every call as a line of standard output, at every level. */
  readonly showsCalls?: boolean
  readonly hasColor?: boolean
  /** If several processes write: each line names its process. */
  readonly worker?: number
  /** The sink for the logs' own errors. Default: standard error. */
  readonly onTrouble?: (message: string) => void
  readonly now?: () => number
}

export interface Logs {
  readonly observe: Observe
  /** Entries dropped because the disk was too slow or failed, or of refused calls beyond the limit. */
  readonly dropped: Readonly<Record<LogName | 'standardOutput', number>>
  /** Why a file cannot be written at present. */
  readonly trouble: string | undefined
  /** Writes what is pending. */
  close(): Promise<void>
}

export function openLogs(settings: Pick<Settings, 'log'>, stdout: LineOutput, options: LogOptions = {}): Logs {
  const { log } = settings
  const masking = maskings[log.masking]
  const { showsCalls = false, hasColor = false, worker, now = preciseTime } = options
  const whose = worker === undefined ? undefined : { worker, pid: process.pid }
  const onTrouble = once(options.onTrouble ?? ((message) => process.stderr.write(`ig: ${message}\n`)))
  const writeLine = options.format === 'text' ? openTextLines(stdout, hasColor) : openJsonLines(stdout)
  const files: Readonly<Record<LogName, LogFile>> = {
    message: openHtmlLog(
      'Message log',
      log.messageLogFile,
      log.messageLogMaxSize,
      log.messageLogMaxBackupFiles,
      onTrouble,
    ),
    error: openHtmlLog('Error log', log.errorLogFile, log.errorLogMaxSize, log.errorLogMaxBackupFiles, onTrouble),
  }

  const dropped = { message: 0, error: 0, standardOutput: 0 }
  const drop = (logs: readonly LogName[]) => {
    dropped.standardOutput += 1
    for (const name of logs) dropped[name] += 1
  }

  const refusedCalls = openRefusedCalls((event) => observe(event))
  const write = (observation: Observation) => {
    const logs = isHealthCheck(observation) && !log.healthChecks ? [] : findLogs(observation, log.level)
    if (logs.length === 0 && !(showsCalls && observation.kind === 'answered' && log.level > 0)) return
    if (!refusedCalls.admits(observation)) return drop(logs)
    const written = writeEntry(observation, log.level, now(), masking)
    const entry = whose ? { ...written, facts: { ...written.facts, ...whose } } : written
    writeLine(entry)
    if (logs.length === 0) return
    if (log.hasFiles)
      for (const name of logs) files[name].write(writeHtmlEntry(name === 'error' ? withoutMessages(entry) : entry))
  }
  const observe = (observation: Observation) => {
    try {
      write(observation)
    } catch (error) {
      onTrouble(`a log entry could not be written: ${(error as Error).message}`)
    }
  }
  return {
    observe,
    get dropped() {
      const { message, error, standardOutput } = dropped
      return { message: message + files.message.dropped, error: error + files.error.dropped, standardOutput }
    },
    get trouble() {
      return files.error.trouble ?? files.message.trouble
    },
    async close() {
      refusedCalls.close()
      await Promise.all([files.message.close(), files.error.close()])
    },
  }
}

/** Many a minute, each like the other. One that is refused is logged as every refused call. */
function isHealthCheck(observation: Observation): boolean {
  if (observation.kind !== 'answered' || observation.refusal) return false
  const kind = observation.transaction.target?.kind
  return kind === 'healthz' || kind === 'readyz'
}

function openHtmlLog(
  title: string,
  path: string,
  maxSizeKb: number,
  maxBackupFiles: number,
  onTrouble: (message: string) => void,
): LogFile {
  return openLogFile({
    path,
    maxSize: maxSizeKb * 1024,
    maxBackupFiles,
    head: writeHtmlHead(title),
    onTrouble,
    writeDropped: (count) => {
      const message = `${count} entries were dropped, because the disk was too slow or failed.`
      return writeHtmlEntry({ time: Date.now(), severity: 'warning', message, facts: {}, texts: [], messages: [] })
    },
  })
}

function withoutMessages(entry: LogEntry): LogEntry {
  return { ...entry, messages: [] }
}

/** The same error is reported once. */
function once(report: (message: string) => void): (message: string) => void {
  const reported = new Set<string>()
  return (message) => {
    if (reported.has(message) || reported.size >= 100) return
    reported.add(message)
    report(message)
  }
}
