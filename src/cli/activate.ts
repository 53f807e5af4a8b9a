/** What `ig apply` and `ig rollback` have in common: they show what changes, activate it, and say who serves it (specification 13.3, 13.4, 13.17, 13.18, 13.10, 31.1). */
import { type Command, InvalidArgumentError } from 'commander'
import type { Action } from '../actions/action.ts'
import { diffConfigurations, noConfiguration } from '../configuration/diff-configurations.ts'
import { addRemoteOptions, maxWait, RequestRefused } from '../terminal/administration.ts'
import { addAuthorOption } from '../terminal/audited.ts'
import { Failure } from '../terminal/explain-failure.ts'
import { onInterrupt } from '../terminal/on-interrupt.ts'
import { colours, print, printJson, reportFailure, show } from '../terminal/print.ts'
import { sumUp, writeFirstChanges } from '../terminal/write-changes.ts'
import type { NamedConfiguration } from './configurations.ts'
import type { Plane, PlaneOptions } from './plane.ts'

export interface ActivateOptions extends PlaneOptions {
  readonly dryRun?: boolean
  readonly force?: boolean
  readonly note?: string
  readonly json?: boolean
  /** Seconds; false: not at all. */
  readonly wait: number | false
}

export function addActivateOptions(command: Command, change: string): Command {
  command
    .option('--dry-run', 'show the changes and activate nothing')
    .option('--force', 'activate even if clients lose a URL: an operation is renamed or removed, or an alias changes')
    .option('--note <text>', `reason for the ${change}, shown by ig revision list`, '')
    .option('--json', 'print { "revision", "isActivated", "changes": […], "problems": […] }')
    .option('--wait <seconds>', 'how long to wait for the running processes to serve it', readWait, 30)
    .option('--no-wait', 'do not wait, and keep it active even if a process cannot serve it')
  return addRemoteOptions(addAuthorOption(command))
}

function readWait(text: string): number {
  const seconds = Number(text)
  if (Number.isInteger(seconds) && seconds > 0 && seconds <= maxWait / 1000) return seconds
  throw new InvalidArgumentError(`It is a whole number of seconds from 1 to ${maxWait / 1000}.`)
}

interface ActivationRequest {
  readonly action: Action
  readonly body: Readonly<Record<string, unknown>>
  /** Undefined if there is no revision yet. */
  readonly before: NamedConfiguration | undefined
  readonly after: NamedConfiguration
}

interface ActivationAnswer {
  readonly revision: number
  /** How many processes serve it; undefined if nothing was waited for. */
  readonly serving?: number
}

export async function activate(request: ActivationRequest, plane: Plane, options: ActivateOptions): Promise<void> {
  const { action, before, after } = request
  const { note = '', force = false, dryRun = false, json = false, wait } = options
  const changes = diffConfigurations(before?.configuration ?? noConfiguration, after.configuration)
  const isActive = after.revision === undefined ? changes.length === 0 : after.revision === before?.revision
  if (before && isActive) {
    if (json) return printJson({ revision: before.revision, isActivated: false, changes, problems: [] })
    return print(`No changes: the active ${before.title} is identical.`)
  }
  if (!json) print(describeChanges())
  const facts = { ...(after.revision !== undefined && { revision: after.revision }), changes }
  const body = { ...request.body, note, force, dryRun, wait }
  const input = { params: {}, query: {}, body, ifMatch: `revision-${before?.revision ?? 0}` }
  const outcome = dryRun ? 'Nothing was activated.' : 'The revision may be active: see ig revision list.'
  const ignoreInterrupt = onInterrupt(() => reportFailure(`ig: interrupted. ${outcome}`))
  const asked = plane.perform(action, input).finally(ignoreInterrupt)
  const answer = await asked.catch((error) => {
    // In an outage it may be active all the same
    if (!(error instanceof RequestRefused) || error.code === 'storeAway') throw error
    if (json) printJson({ ...facts, isActivated: false, ...error.details, problems: error.problems })
    const isLacking = error.code === 'notServed' && error.problems.length > 0
    const help = '\nDeploy what is missing and try again, or activate it anyway with --no-wait.'
    throw new Failure(isLacking ? `${error.message}${help}` : error.message)
  })
  const { revision, serving } = answer.body as ActivationAnswer
  if (json) return printJson({ revision, isActivated: !dryRun, changes, problems: [] })
  if (dryRun) return print('Dry run: nothing was activated.')
  print(`Revision ${revision} is active: ${describeServing(serving)}`)

  /** Everything in a first revision is new: a summary is enough. */
  function describeChanges(): string {
    if (!before) return `There is no revision yet. ${sumUp(changes)}`
    const at = options.url === undefined ? '' : ` --url ${show(options.url)}`
    const command = `ig diff ${before.revision} ${after.revision ?? 'files'}${at}`
    const compared = { before: before.configuration, after: after.configuration, changes }
    return `Changes from ${before.title} to ${after.title}:\n${writeFirstChanges(compared, colours(), command)}`
  }
}

function describeServing(serving: number | undefined): string {
  if (serving === undefined) return 'processes were not waited for.'
  if (serving === 0) return 'no running process has reported.'
  return serving === 1 ? 'one process serves it.' : `${serving} processes serve it.`
}
