/**
 * The latest transactions for `ig explain`: the facts that the pipeline found, with the reason that the caller did not
 * get (specification 15.2). An observer. During a call it only takes references; every two seconds it
 * writes lines, free of secrets, to two files of limited size.
 */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { showLine } from '../base/escape.ts'
import { type CallRecord, durationOf, recordCall } from '../model/call-record.ts'
import type { Note, Observation, Observe } from '../model/observation.ts'
import { findPermission } from '../model/permission.ts'
import type { Refusal } from '../model/refusal.ts'
import type { Step } from '../model/step.ts'
import { explainMatch } from '../model/uri/explain-match.ts'
import { openLogFile } from './log-file.ts'
import { type Masking, maskings } from './masking/masking.ts'
import { redactText } from './masking/redact.ts'
import { openSelection, rankOf, rankOfNote } from './selection.ts'

/** A line of the file. A field is undefined if the call was refused before the step that finds it. */
export interface RecentTransaction {
  readonly transactionId: string
  /** ISO 8601, at its end. */
  readonly time: string
  readonly durationMs: number
  readonly remoteAddress: string
  /** The trusted proxy that stated the address; undefined without one. */
  readonly proxy?: string | undefined
  readonly method: string
  readonly url: string
  readonly status: number
  readonly refusal?: Refusal['code'] | undefined
  /** The step that answered or refused. */
  readonly endedBy: Step
  /** The reason that the caller did not get. */
  readonly reason?: string | undefined
  readonly node?: string | undefined
  /** `ECHO.v1`, as in the URL. */
  readonly service?: string | undefined
  readonly operation?: string | undefined
  readonly verification?: string | undefined
  readonly operator?: string | undefined
  readonly permission?: string | undefined
  /** The matching URI template, its index from 1. */
  readonly templateIndex?: number | undefined
  readonly template?: string | undefined
  /** If no template matches: why the first few do not. */
  readonly templates?: readonly string[] | undefined
  readonly isCached?: boolean | undefined
  readonly replay?: CallRecord['replay']
  readonly isReplayable?: CallRecord['isReplayable']
  /** The revision that answered the call; undefined if files are served. */
  readonly revision?: number | undefined
}

/** Other notes of the call: warnings, errors. */
export interface RecentNote {
  readonly transactionId: string
  readonly note: string
}

export interface RecentTransactions {
  readonly observe: Observe
  /** Writes pending lines. */
  close(): Promise<void>
}

export interface RecentOptions {
  /** The project's folder. */
  readonly folder: string
  /** Minimum number; 0 for none. */
  readonly keep: number
  readonly masking?: Masking
  /** Called once, until writing works again. Default: standard error. */
  readonly onTrouble?: (message: string) => void
  /** Milliseconds; tests pass another. */
  readonly writeEvery?: number
}

/** A longer one is truncated. */
const maxLineBytes = 2048

export function openRecentTransactions(options: RecentOptions): RecentTransactions {
  const { folder, keep, writeEvery = 2000, masking = maskings.known } = options
  if (keep === 0) return { observe() {}, close: async () => {} }
  const file = openLogFile({
    path: pathIn(folder),
    maxSize: keep * maxLineBytes,
    maxBackupFiles: 1,
    head: '',
    onTrouble: options.onTrouble ?? ((message) => process.stderr.write(`ig: ${message}\n`)),
  })
  const selection = openSelection<CallRecord | HeldNote>({
    max: keep,
    every: writeEvery,
    write: (items) => {
      for (const item of items) file.write('note' in item ? writeNote(item, masking) : writeCall(item, masking))
    },
    onError: (error) => options.onTrouble?.(`recent transactions are lost: ${error.message}`),
  })
  return {
    observe(observation) {
      if (observation.kind === 'answered') selection.add(rankOf(observation), () => recordCall(observation))
      else if (isGraveNote(observation)) selection.add(rankOfNote(observation), () => hold(observation))
    },
    async close() {
      await selection.close()
      await file.close()
    },
  }
}

export interface FoundTransaction {
  /** Undefined if there are only notes: the request could not be read, or has no response yet. */
  readonly transaction: RecentTransaction | undefined
  readonly notes: readonly string[]
}

/** Of the running gateway or the previous one; undefined if it is not kept. */
export async function findRecentTransaction(folder: string, id: string): Promise<FoundTransaction | undefined> {
  let transaction: RecentTransaction | undefined
  const notes: string[] = []
  for (const path of [pathIn(folder, '.1'), pathIn(folder)]) {
    const text = await readFile(path, 'utf8').catch(ignoreMissing)
    for (const line of text.split('\n')) {
      if (!line.includes(id)) continue
      const record = parseLine(line)
      if (record?.transactionId !== id) continue
      if ('note' in record) notes.push(record.note)
      else transaction = record
    }
  }
  return transaction || notes.length > 0 ? { transaction, notes } : undefined
}

function pathIn(folder: string, generation = ''): string {
  return join(folder, 'data', `recent-transactions${generation}.jsonl`)
}

function isGraveNote(observation: Observation): observation is Note {
  if (observation.kind !== 'note' || !observation.transaction) return false
  return ['exception', 'error', 'warning'].includes(observation.level)
}

/** A note without its transaction, which the line of the call has. */
interface HeldNote {
  readonly id: string
  readonly note: string
  readonly error: unknown
}

function hold({ transaction, message, error }: Note): HeldNote {
  return { id: transaction?.id ?? '', note: message, error }
}

function writeNote({ id, note, error }: HeldNote, masking: Masking): string {
  const record: RecentNote = { transactionId: id, note: showLine(masking.reason(note, error), 500) }
  return `${JSON.stringify(record)}\n`
}

function writeCall(ended: CallRecord, masking: Masking): string {
  const whole = `${JSON.stringify(describe(ended, 600, masking))}\n`
  return Buffer.byteLength(whole) <= maxLineBytes ? whole : `${JSON.stringify(describe(ended, 100, masking))}\n`
}

/** Values of the configuration contain no secrets; all others are masked. */
function describe(ended: CallRecord, maxText: number, masking: Masking): RecentTransaction {
  const { operation, operator, refusal, target, templateIndex } = ended
  const isStrict = masking === maskings.strict // the text is not from a caller
  const template = operation?.templates.find(({ index }) => index === templateIndex)?.source
  return {
    transactionId: ended.id,
    time: new Date(ended.ended).toISOString(),
    durationMs: durationOf(ended),
    remoteAddress: ended.remoteAddress,
    proxy: ended.proxy,
    method: showLine(ended.method, 20),
    url: showLine(masking.url(ended.url, ended), maxText),
    status: ended.status,
    refusal: refusal?.code,
    endedBy: ended.endedBy,
    reason: refusal && showLine(masking.refusal(refusal), maxText),
    node: ended.node, // a call of an unknown one has no target
    service:
      operation && operation.ofNode === undefined
        ? operation.segment
        : target && !isStrict
          ? line(target.service, 100)
          : undefined,
    operation: operation?.id,
    verification: operation?.verification,
    operator: operator && showLine(operator.id, 30),
    permission: operation && operator && showLine(findPermission(operator, operation).reason, maxText),
    templateIndex,
    template: template && showLine(template, 100),
    templates: refusal?.code === 'uriNotMatched' && !isStrict ? describeTemplates(ended) : undefined,
    isCached: ended.isCached,
    replay: ended.replay,
    isReplayable: ended.isReplayable,
    revision: ended.revision,
  }
}

function describeTemplates({ operation, target }: CallRecord): readonly string[] | undefined {
  if (!operation || !target) return undefined
  const verdicts = explainMatch(operation.templates.slice(0, 5), target)
  return verdicts.map(({ index, source, reason }) => line(`${index}  ${source}  ${reason}`, 150))
}

function line(text: string, maxLength: number): string {
  return showLine(redactText(text), maxLength)
}

/** A truncated line, left by a crash, is skipped. */
function parseLine(text: string): RecentTransaction | RecentNote | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return ''
  throw error
}
