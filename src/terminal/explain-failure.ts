/** Error messages of the command line: what failed, why, and what to change. */

import { showLine, showLines } from '../base/escape.ts'
import { findDenied } from '../base/find-denied.ts'
import { formatProblem, type Problem, ProjectProblems, RevisionProblems } from '../model/problem.ts'
import { redactText } from '../observe/masking/redact.ts'
import { type AdminSettings, type Settings, SettingsProblems, settingsFile } from '../settings.ts'
import { StoreUnavailable } from '../store/faults.ts'
import { placeProblems } from './locate-problem.ts'
import { terminal } from './terminal.ts'

/** An expected failure: only its message is printed, without a stack. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly exitCode: number = 1
}

/** A wrong option or value (specification 31.1). */
export class WrongValue extends Failure {
  override readonly exitCode = 2
}

/** Ctrl-C at a question. */
export class Interruption extends Failure {
  override readonly exitCode = 130

  constructor() {
    super('interrupted. Nothing was changed.')
  }
}

export function explainFailure(error: unknown, debug?: string): string {
  const stack = debug && error instanceof Error ? `\n${error.stack ?? ''}` : ''
  return showLines(redactText(`${describe(error, debug)}${stack}`), 100_000)
}

function describe(error: unknown, debug: string | undefined): string {
  if (error instanceof Failure || error instanceof StoreUnavailable) return `ig: ${error.message}`
  if (error instanceof SettingsProblems) return formatProblems('The settings have', error.problems)
  if (error instanceof ProjectProblems)
    return formatProblems('The project has', placeProblems(error.problems, error.configFile))
  if (error instanceof RevisionProblems) {
    const isOfSettings = error.problems.every(({ path }) => path.startsWith('ig.'))
    const subject = isOfSettings ? 'The settings have' : `Revision ${error.revision} cannot be served here. It has`
    return formatProblems(subject, error.problems)
  }
  const { code = '', path } = (error ?? {}) as NodeJS.ErrnoException
  const message = error instanceof Error ? error.message : String(error)
  if (['EACCES', 'EPERM', 'EROFS'].includes(code) && path !== undefined)
    return `ig: ${findDenied(path, 'write') ?? message}`
  return `ig: ${message}${debug ? '' : '\nThis is an unexpected error. IG_DEBUG=1 shows its stack trace.'}`
}

export function formatProblems(subject: string, problems: readonly Problem[]): string {
  const count = problems.length === 1 ? 'an error' : `${problems.length} errors`
  return [`${subject} ${count}:`, ...listProblems(problems)].join('\n')
}

export function listProblems(problems: readonly Problem[]): readonly string[] {
  const listed = problems.slice(0, maxProblems).map((problem) => `  ${showLine(formatProblem(problem), 10_000)}`)
  const rest = problems.length - listed.length
  return rest > 0 ? [...listed, `  … and ${rest} more`] : listed
}

/** Problems of one failure that are printed for people; the others are counted. */
export const maxProblems = 100

interface ListenError {
  readonly code?: string
  readonly port?: number
  readonly address?: string
  /** The path of a file. */
  readonly path?: string
}

/** Explains an address that cannot be opened, with the option that changes it, and an invalid certificate; returns other errors unchanged. */
export function explainListening(error: unknown, { port, sampleIssuerPort, tls, proxies }: Settings): unknown {
  const { code = '', path, address, ...failed } = error as ListenError
  const reason = listenReasons[code]
  const listeners = [
    { port, key: 'ig.port', option: '--port' },
    { port: sampleIssuerPort, key: 'ig.sampleIssuer.port', option: '--issuer-port' },
    ...(tls ? [{ port: tls.port, key: 'ig.tls.port' }] : []),
  ]
  const listener = listeners.find((candidate) => candidate.port === failed.port)
  if (reason !== undefined && listener !== undefined) {
    if (code === 'EADDRNOTAVAIL') return new Failure(`${address} ${reason}. Change ig.host.`)
    const ways = [listener.option && `${asTyped(listener.option)} <n>`, `${listener.key}=<n> in ${settingsFile}`]
    return new Failure(`Port ${failed.port} ${reason}. Choose another with ${ways.filter(Boolean).join(' or ')}.`)
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return new Failure('ig.host is not an address of this machine.')
  if (tls && (path === tls.cert || path === tls.key)) {
    const key = path === tls.cert ? 'ig.tls.cert' : 'ig.tls.key'
    return new Failure(`${key} cannot be read: ${(error as Error).message}`)
  }
  const clientCa = tls?.clientCa ?? proxies?.clientCa
  if (path !== undefined && path === clientCa)
    return new Failure(`ig.tls.clientCa cannot be read: ${(error as Error).message}`)
  if (tls && /^ERR_(?:OSSL|SSL)/.test(code)) {
    return new Failure(`ig.tls.cert and ig.tls.key are not a PEM certificate and its key: ${(error as Error).message}`)
  }
  return error
}

/** The gateway serves calls without administration. */
export function explainNoAdministration(error: unknown, { port }: AdminSettings): string {
  return `administration is not available: ${explainPort(error, port)}. Choose another port with --admin-port <n> or ig.admin.port=<n>, or switch it off with ig.admin.port=off`
}

/** Why it cannot listen at this port. */
export function explainPort(error: unknown, port: number): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  return listenReasons[code] ? `port ${port} ${listenReasons[code]}` : message
}

const listenReasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use',
  EACCES: 'requires more privileges than this user has',
  EADDRNOTAVAIL: 'is not an address of this machine',
}

/** `npm start` passes on only options after `--`. */
function asTyped(option: string): string {
  return terminal().env.npm_lifecycle_event === 'start' ? `npm start -- ${option}` : option
}
