/** `ig invite`: another one-time link for the first administrator, in place of the one that is valid (specification 18.5). */
import type { Command } from 'commander'
import { invite as makeLink } from '../admin/invitation.ts'
import { adminUrl } from '../admin/open-admin.ts'
import { handOver } from '../admin/setup-link.ts'
import { openStore } from '../store/open-store.ts'
import { type AuthorOptions, addAuthorOption, entryOf } from '../terminal/audited.ts'
import { Failure } from '../terminal/explain-failure.ts'
import { print } from '../terminal/print.ts'
import { readProjectSettings, requireProjectFolder, takeProject, withProject } from '../terminal/project-options.ts'
import { terminal } from '../terminal/terminal.ts'

export function invite(command: Command): void {
  takeProject(command)
    .description(
      'Makes a one-time link for the first administrator, which works for a day, and ends the one before. It is printed ' +
        'on a terminal; anywhere else it is written to data/setup-link, which only its owner can read.',
    )
    .addHelpText('after', '\nExample:\n  ig invite --project /srv/hr')
    .action(withProject(run))
  addAuthorOption(command)
}

async function run(folder: string, options: AuthorOptions): Promise<void> {
  const entry = entryOf(options, { action: 'inviteAdministrator', subject: 'the first administrator' })
  requireProjectFolder(folder)
  const { admin, database } = readProjectSettings(folder)
  if (!admin) throw new Failure('administration is off (ig.admin.port=off), so there is nothing to sign in to.')
  if (admin.port === 0) throw new Failure('ig.admin.port is 0, so the link would have no port. Set one.')
  const url = adminUrl(admin, admin.port)
  const store = await openStore(database)
  try {
    if ((await store.administration.administrators.list()).length > 0)
      throw new Failure(`there are administrators already. They add others in the console: ${url}`)
    const link = await makeLink(
      store.audited(() => entry),
      url,
      Date.now(),
    )
    print(handOver(link, { folder, output: terminal().stdout }))
  } finally {
    await store.close()
  }
}
