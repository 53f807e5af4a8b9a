/** `ig revision`: verbs that read or check the files of the project; some have a short form, as `ig apply` (specification 13). */
import type { Command } from 'commander'
import { apply } from './apply.ts'
import { diff } from './diff.ts'
import { exportRevision } from './export.ts'
import { rollback } from './rollback.ts'

export function addRevisionVerbs(group: Command): void {
  group.description('The revisions of the configuration. ig apply, ig diff and ig rollback are short forms.')
  diff(group.command('diff').summary('compare two revisions, or a revision and the files'))
  apply(group.command('apply').summary("activate a project's configuration"))
  rollback(group.command('rollback').summary('activate an earlier revision again'))
  exportRevision(group.command('export').summary('write a revision as gateway.config.ts'))
}
