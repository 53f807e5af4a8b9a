/** `ig limit`: who is limited now, and its end (specification 25.10). */
import type { Command } from 'commander'
import { suggest } from '../../base/nearest.ts'
import { compileLimits } from '../../configuration/compile-limits.ts'
import type { Configuration } from '../../configuration/configuration.ts'
import { openProject } from '../../project/open-project.ts'
import type { Store } from '../../store/store.ts'
import { type AuthorOptions, addAuthorOption, entryOf } from '../../terminal/audited.ts'
import { Failure } from '../../terminal/explain-failure.ts'
import { print, printJson, printTable, show } from '../../terminal/print.ts'
import { projectOption } from '../../terminal/project-options.ts'
import { findActive, readConfiguration, withRevisions } from '../../terminal/use-revisions.ts'
import { describeLimited, maxLimited, openLimitRows } from './rows.ts'

interface ListOptions {
  readonly project: string
  readonly json?: boolean
}

interface LiftOptions extends AuthorOptions {
  readonly project: string
}

export function limit(command: Command): void {
  const group = command.description('The limits of the active revision, and the callers that have reached them.')
  group
    .command('list')
    .summary('list the callers that are limited now')
    .description('Lists the callers that are limited now or had a call refused in the last minute.')
    .option(...projectOption)
    .option('--json', 'print the result as JSON')
    .action(list)
  addAuthorOption(
    group
      .command('lift <limit> [subject]')
      .summary('reset what a caller has used of a limit')
      .description(
        'Resets what a caller has used of a limit, on all instances within a second. Take the subject from the ' +
          'list; a limit of all calls together has none.',
      )
      .option(...projectOption),
  ).action(lift)
}

async function list({ project, json }: ListOptions): Promise<void> {
  await withRevisions(project, async (_, store) => {
    const limits = await readLimits(project, store)
    const rows = describeLimited(await openLimitRows(store.databases).list(maxLimited), compileLimits(limits).byName)
    const all = rows.map(({ limit, subject, wait, refused }) => ({
      limit,
      subject,
      resetsInSeconds: wait > 0 ? Math.ceil(wait / 1000) : null,
      refusedSecondsAgo: refused === null ? null : Math.floor(refused / 1000),
    }))
    if (json) return printJson(all)
    if (all.length === 0) return print('No caller is limited.')
    printTable([
      ['LIMIT', 'SUBJECT', 'RESETS', 'LAST REFUSED'],
      ...all.map(({ limit, subject, resetsInSeconds, refusedSecondsAgo }) => [
        show(limit),
        show(subject),
        resetsInSeconds === null ? '' : `in ${resetsInSeconds} s`,
        refusedSecondsAgo === null ? '' : `${refusedSecondsAgo} s ago`,
      ]),
    ])
  })
}

async function lift(name: string, subject: string | undefined, options: LiftOptions): Promise<void> {
  await withRevisions(options.project, async (_, store) => {
    const whose = subject ?? ''
    const rows = openLimitRows(store.databases)
    if (!(await rows.knows(name, whose)))
      throw new Failure(whyNothing(name, whose, await readLimits(options.project, store)))
    const what = whose === '' ? name : `${name}: ${whose}`
    await store.administration.audit.append(entryOf(options, { action: 'liftLimit', subject: what }))
    await rows.lift(name, whose)
    print(`${show(what)} is lifted on all instances within a second.`)
  })
}

async function readLimits(project: string, store: Pick<Store, 'revisions'>): Promise<Configuration['limits']> {
  const active = await findActive(store.revisions)
  return (active ? readConfiguration(active) : (await openProject(project)).configuration).limits
}

function whyNothing(name: string, subject: string, limits: Configuration['limits']): string {
  const limit = limits.find((each) => each.name === name)
  const names = limits.map((each) => each.name)
  if (!limit) return `There is no limit ${show(name)}${suggest(name, names) || '. List with ig limit list.'}`
  if (subject === '' && limit.by.length > 0)
    return `The limit ${name} counts by ${limit.by.join(' and ')}: add the subject that ig limit list shows.`
  return `Nothing of the limit ${name} is used${subject === '' ? '' : ` by ${show(subject)}`}. List with ig limit list.`
}
