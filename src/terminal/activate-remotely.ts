/** `ig apply --url` and `ig rollback --url`: activations by the administration of a running gateway (specification 31.2). */
import type { Configuration } from '../model/configuration/configuration.ts'
import { type Change, diffConfigurations } from '../model/configuration/diff-configurations.ts'
import { withoutDefaults } from '../model/configuration/without-defaults.ts'
import type { Administration } from './administration.ts'
import { Failure } from './explain-failure.ts'
import { colours, print, printJson } from './print.ts'
import { nameFault } from './use-revisions.ts'
import { writeFirstChanges } from './write-changes.ts'

interface Options {
  readonly wait: string | false
  readonly as?: string
  readonly note?: string
  readonly dryRun?: boolean
  readonly force?: boolean
  readonly json?: boolean
}

interface Applied {
  readonly revision: number
  readonly isActivated: boolean
  readonly changes: readonly Change[]
}

export async function applyRemotely(
  configuration: Configuration,
  administration: Administration,
  options: Options,
): Promise<void> {
  refuseAuthor(options)
  const { note = '', force = false, dryRun = false, json = false } = options
  const { revision: base, etag } = await administration.active()
  const request = { configuration: withoutDefaults(configuration), note, force, dryRun, wait: options.wait !== false }
  if (!json) {
    const before = await administration.configurationOf(base)
    const changes = diffConfigurations(before, configuration)
    if (changes.length === 0) return print(`No changes: the active revision ${base} is identical.`)
    const title = `Changes from revision ${base} to the project's files:`
    print(
      `${title}\n${writeFirstChanges({ before, after: configuration, changes }, colours(), `ig diff ${base} files`)}`,
    )
  }
  const applied = await administration.change<Applied>('PUT', 'api/configuration', request, etag)
  const { revision, isActivated, changes } = applied
  if (json) return printJson({ ...(isActivated || changes.length === 0 ? { revision } : {}), isActivated, changes })
  print(isActivated ? describeActive(revision, request) : 'Dry run: nothing was activated.')
}

export async function rollBackRemotely(name: string, administration: Administration, options: Options): Promise<void> {
  refuseAuthor(options)
  const fault = nameFault(name)
  if (fault) throw fault
  const { note = '', json = false } = options
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
    print(writeFirstChanges({ before, after, changes }, colours(), `ig diff ${base} ${revision}`))
  }
  const request = { revision, note, wait: options.wait !== false }
  await administration.change('PUT', 'api/activation', request, etag)
  if (json) return printJson({ revision, isActivated: true, changes })
  print(describeActive(revision, request))
}

function describeActive(revision: number, { wait }: { readonly wait: boolean }): string {
  return `Revision ${revision} is active: ${wait ? 'every process serves it' : 'did not wait for processes'}.`
}

function refuseAuthor({ as: author }: Options): void {
  if (author !== undefined)
    throw new Failure('--as is for the database of the project. With --url the author is who made the token.')
}
