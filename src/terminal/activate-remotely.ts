/** `ig apply --url` and `ig rollback --url`: activations by the administration of a running gateway (specification 31.2). */
import type { Configuration } from '../configuration/configuration.ts'
import { diffConfigurations } from '../configuration/diff-configurations.ts'
import { withoutDefaults } from '../configuration/without-defaults.ts'
import { maxWait, type RemoteAdministration, RequestRefused } from './administration.ts'
import { readWait, type WaitOptions } from './await-processes.ts'
import { Failure } from './explain-failure.ts'
import { colours, print, printJson } from './print.ts'
import { nameFault } from './use-revisions.ts'
import { writeFirstChanges } from './write-changes.ts'

interface Options extends WaitOptions {
  readonly as?: string
  readonly note?: string
  readonly dryRun?: boolean
  readonly force?: boolean
  readonly json?: boolean
}

interface ActivationResult {
  readonly revision: number
  readonly isActivated: boolean
}

export async function applyRemotely(
  configuration: Configuration,
  administration: RemoteAdministration,
  options: Options,
): Promise<void> {
  refuseAuthor(options)
  const { note = '', force = false, dryRun = false, json = false } = options
  const wait = readRemoteWait(options)
  const { revision: base, etag } = await administration.active()
  const request = { configuration: withoutDefaults(configuration), note, force, dryRun, wait }
  const before = await administration.configurationOf(base)
  const changes = diffConfigurations(before, configuration)
  if (!json) {
    if (changes.length === 0) return print(`No changes: the active revision ${base} is identical.`)
    const compared = { before, after: configuration, changes }
    const command = `ig diff ${base} files${administration.option}`
    print(`Changes from revision ${base} to the project's files:\n${writeFirstChanges(compared, colours(), command)}`)
  }
  const { revision, isActivated } = await administration
    .change<ActivationResult>('PUT', 'api/configuration', request, etag)
    .catch((error) => reportRefused(error, { changes }, json))
  if (json && isActivated) return printJson({ revision, isActivated, changes, problems: [] })
  if (json) return printJson({ ...(changes.length === 0 ? { revision } : {}), isActivated, changes })
  print(isActivated ? describeActive(revision, request) : dry)
}

export async function rollBackRemotely(
  name: string,
  administration: RemoteAdministration,
  options: Options,
): Promise<void> {
  refuseAuthor(options)
  const fault = nameFault(name)
  if (fault) throw fault
  const { note = '', json = false, force = false, dryRun = false } = options
  const wait = readRemoteWait(options)
  const { revision: base, etag } = await administration.active()
  const revision = Number(name)
  const [before, after] = [await administration.configurationOf(base), await administration.configurationOf(revision)]
  const changes = diffConfigurations(before, after)
  if (revision === base) {
    if (json) return printJson({ revision, isActivated: false, changes })
    return print(`No changes: revision ${revision} is already active.`)
  }
  if (!json) {
    print(`Changes from revision ${base} to revision ${revision}:`)
    const command = `ig diff ${base} ${revision}${administration.option}`
    print(writeFirstChanges({ before, after, changes }, colours(), command))
  }
  const request = { revision, note, force, dryRun, wait }
  await administration
    .change('PUT', 'api/activation', request, etag)
    .catch((error) => reportRefused(error, { revision, changes }, json))
  if (json)
    return printJson(dryRun ? { isActivated: false, changes } : { revision, isActivated: true, changes, problems: [] })
  print(dryRun ? dry : describeActive(revision, request))
}

const dry = 'Dry run: nothing was activated.'

function describeActive(revision: number, { wait }: { readonly wait: number | false }): string {
  return `Revision ${revision} is active: ${wait !== false ? 'every process serves it' : 'did not wait for processes'}.`
}

/** Processes that cannot serve it, as on the database. @throws error */
function reportRefused(error: unknown, facts: object, json: boolean): never {
  if (json && error instanceof RequestRefused && error.code === 'notServed')
    printJson({ ...facts, isActivated: false, problems: error.problems })
  throw error
}

/** Seconds; false: not at all. */
function readRemoteWait(options: WaitOptions): number | false {
  const wait = readWait(options)
  if (wait === undefined) return false
  if (wait <= maxWait) return wait / 1000
  throw new Failure(`--wait is at most ${maxWait / 1000} seconds with --url: a connection waits.`)
}

export function refuseAuthor({ as: author }: Pick<Options, 'as'>): void {
  if (author !== undefined)
    throw new Failure('--as is for the database of the project. With --url the author is who made the token.')
}
