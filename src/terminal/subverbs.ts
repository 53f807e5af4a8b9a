/** The verbs of a group such as `ig operator`: each has a summary and the project; what it prints may be JSON. */
import type { Command } from 'commander'
import { addAuthorOption } from './audited.ts'
import { projectOption } from './project-options.ts'

export type AddVerb = (usage: string, summary: string) => Command

export interface Subverbs {
  readonly plain: AddVerb
  /** With `--json`. */
  readonly read: AddVerb
  /** With `--json`, and `--as` for the audit. */
  readonly change: AddVerb
}

export function openSubverbs(group: Command): Subverbs {
  const plain: AddVerb = (usage, summary) =>
    group
      .command(usage)
      .summary(summary)
      .description(`${summary[0]?.toUpperCase()}${summary.slice(1)}.`)
      .option(...projectOption)
  const read: AddVerb = (usage, summary) => plain(usage, summary).option('--json', 'print the result as JSON')
  return { plain, read, change: (usage, summary) => addAuthorOption(read(usage, summary)) }
}
