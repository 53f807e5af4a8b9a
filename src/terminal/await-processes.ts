/**
 * After an activation by `ig apply` or `ig rollback`: waits for the processes, and rolls back (specification 13.17,
 * 13.18).
 */
import type { Command } from 'commander'
import { showLine } from '../base/escape.ts'
import type { Change } from '../configuration/diff-configurations.ts'
import type { Activation } from '../configuration/revision.ts'
import { formatProblem, type Problem } from '../model/problem.ts'
import { confirmActivation, revertActivation, revertedNote } from '../project/confirm-activation.ts'
import type { Store } from '../store/store.ts'
import { type AuthorOptions, entryOf } from './audited.ts'
import { Failure } from './explain-failure.ts'
import { print, printJson } from './print.ts'
import { terminal } from './terminal.ts'

export interface WaitOptions {
  /** Seconds; false for --no-wait. */
  readonly wait: string | false
}

export interface ServingOutcome {
  readonly isActivated: boolean
  /** Processes that cannot serve it, as paths. */
  readonly problems: readonly Problem[]
  /** The last line for people. */
  readonly message: string
}

export function addWaitOptions(command: Command): Command {
  return command
    .option('--wait <seconds>', 'how long to wait for the running processes to serve it', '30')
    .option('--no-wait', 'do not wait, and keep it active even if a process cannot serve it')
}

/** Before anything is activated. */
export function readWait({ wait }: WaitOptions): number | undefined {
  if (wait === false) return undefined
  const seconds = Number(wait)
  if (Number.isInteger(seconds) && seconds > 0 && seconds <= 3_600) return seconds * 1000
  throw new Failure(`--wait must be a whole number of seconds from 1 to 3600, not ${JSON.stringify(wait)}.`)
}

/**
 * @param before the previously active revision @param limit milliseconds; undefined: does not wait @param options the
 * author of the activation
 */
export async function awaitProcesses(
  activation: Activation,
  before: number | undefined,
  store: Store,
  { limit, options }: { readonly limit: number | undefined; readonly options: AuthorOptions },
): Promise<ServingOutcome> {
  const { revision } = activation
  if (limit === undefined)
    return {
      isActivated: true,
      problems: [],
      message: `Revision ${revision} is active. Did not wait for processes.`,
    }
  const confirming = { store, limit, now: Date.now, onWaiting: reportWaiting() }
  const { serving, problems, overtakenBy, isUnknown } = await confirmActivation(activation, confirming)
  if (overtakenBy !== undefined) {
    const message = `Revision ${revision} was active, but revision ${overtakenBy} has been activated since and stays active.`
    return { isActivated: false, problems, message }
  }
  if (problems.length === 0)
    return { isActivated: true, problems, message: `Revision ${revision} is active: ${describe(serving)}` }
  const lines = problems.map((problem) => `  ${showLine(formatProblem(problem), 1_000)}`).join('\n')
  if (isUnknown) {
    const message = `revision ${revision} is active, but whether every process serves it is unknown:\n${lines}`
    return { isActivated: true, problems, message }
  }
  const failed = `revision ${revision} is not served everywhere:\n${lines}\n`
  if (before === undefined)
    return { isActivated: true, problems, message: `${failed}It stays active: there is no revision before it.` }
  const note = revertedNote(revision)
  const change = { subject: `revision ${before}`, before: { revision }, after: { revision: before, note, problems } }
  const { revisions } = store.audited(() => entryOf(options, { action: 'activateRevision', ...change }))
  const taken = await revertActivation(activation, before, revisions, Date.now())
  if (!taken)
    return {
      isActivated: false,
      problems,
      message: `${failed}Another revision has been activated since and stays active.`,
    }
  const after = await confirmActivation(taken, { ...confirming, limit: Math.min(limit, backWithin) })
  const isBack = after.problems.length === 0 ? '' : ', but not every process serves it'
  const next = 'Deploy what is missing and try again, or activate it anyway with --no-wait.'
  return { isActivated: false, problems, message: `${failed}Revision ${before} is active again${isBack}. ${next}` }
}

/** @throws Failure if it is not active, or not served everywhere */
export function report(
  { isActivated, problems, message }: ServingOutcome,
  facts: { readonly revision: number; readonly changes: readonly Change[] },
  { json }: { readonly json?: boolean },
): void {
  if (json) printJson({ ...facts, isActivated, problems })
  if (!isActivated || problems.length > 0) throw new Failure(message)
  if (!json) print(message)
}

function describe(serving: number): string {
  if (serving === 0) return 'no running process has reported.'
  return serving === 1 ? 'one process serves it.' : `${serving} processes serve it.`
}

/** Milliseconds: processes served the former revision a moment ago. */
const backWithin = 5_000
/** Milliseconds before progress is shown. */
const patience = 1_000

function reportWaiting(): (processes: readonly string[]) => void {
  const since = performance.now()
  let last = ''
  return (processes) => {
    const line = processes.join(', ')
    if (line === last || performance.now() - since < patience) return
    last = line
    terminal().stderr.write(`ig: waiting for ${line}\n`)
  }
}
