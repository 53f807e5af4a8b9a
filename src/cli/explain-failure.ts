/** What the command line says when it fails: short, aligned, and what to change. */
import { formatProblem, type Problem } from '../model/problem.ts'
import { redactText } from '../observe/redact.ts'
import { showLines } from '../observe/visible.ts'
import { ProjectProblems } from '../project.ts'
import { SettingsProblems } from '../settings.ts'
import { StoreUnavailable } from '../store/store.ts'

/** A failure whose message is all that there is to say. */
export class Failure extends Error {
  override readonly name = 'Failure'
}

export function explainFailure(error: unknown, debug?: string): string {
  const stack = debug && error instanceof Error ? `\n${error.stack ?? ''}` : ''
  return showLines(redactText(`${describe(error, debug)}${stack}`), 100_000)
}

function describe(error: unknown, debug: string | undefined): string {
  if (error instanceof Failure || error instanceof StoreUnavailable) return `ig: ${error.message}`
  if (error instanceof SettingsProblems) return formatProblems('The settings have', error.problems)
  if (error instanceof ProjectProblems) return formatProblems('The project has', error.problems)
  const message = error instanceof Error ? error.message : String(error)
  return `ig: ${message}${debug ? '' : '\nThis was not foreseen. IG_DEBUG=1 shows where it happened.'}`
}

export function formatProblems(subject: string, problems: readonly Problem[]): string {
  const count = problems.length === 1 ? 'a fault' : `${problems.length} faults`
  return [`${subject} ${count}:`, ...problems.map((problem) => `  ${formatProblem(problem)}`)].join('\n')
}

interface ListenError {
  readonly code?: string
  readonly port?: number
  readonly address?: string
}

/** Which setting moves a listener, by its port; `option` where the command has one. */
export type Listeners = readonly { readonly port: number; readonly key: string; readonly option?: string }[]

/** An address that cannot be had, with the option that changes it; any other error as it is. */
export function explainListening(error: unknown, listeners: Listeners): unknown {
  const { code = '', port, address } = error as ListenError
  const reason = listenReasons[code]
  const listener = listeners.find((candidate) => candidate.port === port)
  if (reason === undefined || listener === undefined) return error
  const { option, key } = listener
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return new Failure(`${address} ${reason}. Change ig.host.`)
  const ways = [option && `${asTyped(option)} <n>`, `${key}=<n> in integrationGateway.properties`].filter(Boolean)
  return new Failure(`Port ${port} ${reason}. Choose another with ${ways.join(' or ')}.`)
}

/** `npm start` hands its own options over behind two hyphens. */
function asTyped(option: string): string {
  return process.env.npm_lifecycle_event === 'start' ? `npm start -- ${option}` : option
}

const listenReasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use',
  EACCES: 'is not allowed for this user',
  EADDRNOTAVAIL: 'is no address of this machine',
  ENOTFOUND: 'is no address of this machine',
}
