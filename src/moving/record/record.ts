/** `ig record`: a proxy in front of the original that writes a project of stand-ins from what passes (specification 38). */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { quoteShell } from '../../base/escape.ts'
import { openServer } from '../../http/server.ts'
import type { Observation } from '../../model/observation.ts'
import type { Problem } from '../../model/problem.ts'
import { runUntilStopped } from '../../serve/stop.ts'
import { openOriginals } from '../../steps/handler/upstream/originals.ts'
import { confirm, isTerminal } from '../../terminal/confirm.ts'
import { explainListening, Failure } from '../../terminal/explain-failure.ts'
import { alignColumns, print, printJson, report, show, warn } from '../../terminal/print.ts'
import { readProjectSettings } from '../../terminal/project-options.ts'
import { type AssembledProject, assembleProject } from '../import/assemble.ts'
import { importRequests } from '../import/import-requests.ts'
import { closeUndeclared, isOpen } from '../import/verification.ts'
import { joinNames, writeNotes } from '../import/write-notes.ts'
import { openForwarder } from './forward.ts'
import type { Masking } from './mask-body.ts'
import { type MaskedRecording, maskUrls } from './mask-urls.ts'
import { openPseudonyms } from './pseudonyms.ts'
import { readCalls, readKey, requireRecordable, type WrittenProject, writeProject } from './recorded-project.ts'
import { openSession, type RecordingSession } from './session.ts'

export interface RecordOptions {
  readonly upstream: string
  readonly host?: string
  readonly port?: string
  readonly service: string
  readonly keepValues?: boolean
  readonly yes?: boolean
  readonly mask?: string
  readonly timeout: string
  readonly json?: boolean
}

export async function record(folder: string, options: RecordOptions): Promise<void> {
  const origin = readOrigin(options.upstream)
  const patience = readSeconds(options.timeout)
  requireRecordable(folder)
  await requireConsent(options)
  const settings = readSettings(folder, options)
  const key = readKey(folder)
  const masking = readMasking(key, options)
  const bodies = mkdtempSync(join(tmpdir(), 'ig-record-'))
  const remove = () => rmSync(bodies, { recursive: true, force: true })
  try {
    const session = openSession({ masking, bodies })
    const originals = openOriginals({ maxHeaderBytes: settings.limits.maxHeaderBytes, hasBreakers: false })
    const complain = openComplaints()
    const answer = openForwarder({ origin, originals, patience, observe: session.observe, complain })
    const observe = (observation: Observation) => {
      if (observation.kind === 'event') complain(observation.message)
    }
    const gateway = { settings, observe, now: Date.now }
    const server = await openServer({ gateway, settings, answer }).catch((error) => {
      throw explainListening(error, settings)
    })
    const write = () => conclude(folder, session, masking, { bodies, key }, options)
    const writeAndRemove = () => {
      write()
      remove()
    }
    await runUntilStopped({
      observe: gateway.observe,
      grace: settings.limits.shutdownGrace,
      onReady: () => report(`Recording ${origin} at ${server.url}. Ctrl-C ends it and writes ${show(folder)}.`),
      onStop() {
        process.once('exit', writeAndRemove) // a second Ctrl-C does not wait for running calls
        report('Waiting for running calls. Ctrl-C again writes the project without them.')
      },
      async close() {
        await server.close()
        await originals.close()
      },
    })
    process.removeListener('exit', writeAndRemove)
    write()
  } finally {
    remove()
  }
}

function readOrigin(upstream: string): string {
  const url = URL.parse(upstream)
  const isOrigin = url && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search + url.hash === ''
  if (!isOrigin || url.username + url.password !== '')
    throw new Failure(`--upstream ${show(upstream)} is not an origin: https://original.example, without path or user.`)
  return url.origin
}

function readSeconds(text: string): number {
  const seconds = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : undefined
  if (seconds === undefined) throw new Failure(`--timeout ${show(text)} is not a number of seconds, 1 to 9999.`)
  return seconds * 1000
}

async function requireConsent({ keepValues, yes }: RecordOptions): Promise<void> {
  if (!keepValues || yes) return
  if (!isTerminal()) throw new Failure('--keep-values asks first, and there is no terminal: add --yes.')
  const [isAgreed] = await confirm(['Recorded values, of persons too, will be in the files of the project. Keep them?'])
  if (!isAgreed) throw new Failure('values are not kept; nothing was recorded.')
}

/** Bodies pass in any size. */
function readSettings(folder: string, { host = '127.0.0.1', port }: RecordOptions) {
  const given = { '--host': host, ...(port === undefined ? {} : { '--port': port }) }
  const settings = readProjectSettings(folder, given)
  return { ...settings, limits: { ...settings.limits, maxBodyBytes: Number.MAX_SAFE_INTEGER } }
}

function readMasking(key: string, { keepValues = false, mask = '' }: RecordOptions): Masking {
  const names = new Set(mask.split(',').flatMap((name) => name.trim().toLowerCase() || []))
  const pseudonyms = openPseudonyms(key)
  return { isFull: !keepValues, isNamed: (name) => names.has(name.toLowerCase()), pseudonyms }
}

/** Each warning once: a client may repeat a call that fails. */
function openComplaints() {
  const said = new Set<string>()
  return (reason: string) => {
    if (said.has(reason) || said.size >= maxWarnings) return
    said.add(reason)
    warn(reason)
  }
}

const maxWarnings = 1000

function conclude(
  folder: string,
  session: RecordingSession,
  masking: Masking,
  kept: { readonly bodies: string; readonly key: string },
  options: RecordOptions,
): void {
  const earlier = readCalls(folder)
  const recorded: readonly MaskedRecording[] = [...earlier, ...session.recordings]
  if (recorded.length === 0) {
    printOutcome({ folder: null, operations: [], unexpressed: list(session), notices: [] }, options)
    return
  }
  const calls = maskUrls(recorded, masking).map((call, at) => ({ ...call, place: `recorded/calls.jsonl:${at + 1}` }))
  const variables = masking.isFull ? 'all' : new Set<string>()
  const imported = importRequests(calls, { service: options.service, any: variables })
  const notices: Problem[] = [...imported.notices]
  const operations = closeUndeclared(imported.operations, notices, { advice: '' })
  const project = assembleProject({ ...imported, operations, notices }, { grows: true })
  const written = writeProject(folder, project, calls, kept)
  const rows = project.operations.map(({ id, recorded, method, rows }) => {
    return { operation: id, calls: session.calls.get(`${recorded} ${method}`) ?? 0, rows }
  })
  const literals = masking.isFull ? findLiterals(project) : []
  const all = [...noteOpen(project), ...literals, ...written.kept.map(explainKept), ...project.notices]
  printOutcome({ folder, operations: rows, unexpressed: list(session), notices: all }, options)
}

function noteOpen({ operations }: AssembledProject): readonly Problem[] {
  const names = operations.filter(isOpen).map(({ id }) => id)
  const message = `whose calls had no credentials and no cookie, and were never answered 401 or 403, need none: ${joinNames(names)}`
  return names.length === 0 ? [] : [{ path: 'operations', message }]
}

/** What is no variable may yet be a value: one name of a person, recorded once. */
function findLiterals({ operations }: AssembledProject): readonly Problem[] {
  const paths = operations.flatMap(({ templates }) => templates.map(({ template }) => template.split(/\{?\?/)[0]))
  const all = new Set(paths.flatMap((path = '') => path.split('/')).filter((one) => !/^$|\{/.test(one)))
  if (all.size === 0) return []
  const message = `are not masked, because nothing shows that they are values: ${joinNames([...all])}`
  return [{ path: 'parts of URLs', message }]
}

interface Outcome {
  /** Null if nothing is written. */
  readonly folder: string | null
  readonly operations: readonly { readonly operation: string; readonly calls: number; readonly rows: number }[]
  readonly unexpressed: readonly { readonly reason: string; readonly calls: number }[]
  readonly notices: readonly Problem[]
}

function printOutcome(outcome: Outcome, { json }: RecordOptions): void {
  if (json) printJson(outcome)
  else print(writeOutcome(outcome).join('\n'))
}

function writeOutcome({ folder, operations, unexpressed, notices }: Outcome): readonly string[] {
  const rows = operations.map(({ operation, calls, rows }) => [operation, `${calls}`, `${rows}`])
  const left = unexpressed.map(({ reason, calls }) => [`  ${calls}`, reason])
  const count = `${rows.length} operation${rows.length === 1 ? '' : 's'}`
  return [
    ...(folder === null
      ? ['Nothing was recorded, and nothing is written.']
      : alignColumns([['OPERATION', 'CALLS', 'ROWS'], ...rows])),
    ...(left.length > 0 ? ['', 'Passed, and not recorded:', ...alignColumns(left)] : []),
    ...writeNotes(notices),
    ...(folder === null ? [] : ['', `${count} in ${show(folder)}. Next:`, `  ig dev ${quoteShell(folder)}`]),
  ]
}

function explainKept(path: WrittenProject['kept'][number]): Problem {
  const message =
    'was changed in recorded/definition.json and stays as it is: what this session adds to it is not in it'
  return { path, message }
}

function list({ unexpressed }: RecordingSession) {
  return [...unexpressed].map(([reason, calls]) => ({ reason, calls }))
}
