/** `ig invite`: a new one-time link for the first administrator, which replaces the valid one (specification 18.5). */
import type { Command } from 'commander'
import { adminUrl } from '../admin/admin-server.ts'
import { invite as makeLink } from '../admin/invitation.ts'
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
      'Creates a one-time link for the first administrator, valid for a day, and invalidates the previous one. Prints ' +
        'it on a terminal; otherwise writes it to data/setup-link, which only its owner can read.',
    )
    .addHelpText('after', '\nExample:\n  ig invite --project /srv/hr')
    .action(withProject(run))
  addAuthorOption(command)
}

async function run(folder: string, options: AuthorOptions): Promise<void> {
  const entry = entryOf(options, { action: 'inviteAdministrator', subject: 'the first administrator' })
  requireProjectFolder(folder)
  const { admin, database } = readProjectSettings(folder)
  if (!admin) throw new Failure('administration is off (ig.admin.port=off). Set a port to use it.')
  if (admin.port === 0) throw new Failure('ig.admin.port is 0, so the link would have no port. Set a fixed port.')
  const url = adminUrl(admin, admin.port)
  const store = await openStore(database)
  try {
    if ((await store.administration.administrators.list()).length > 0)
      throw new Failure(`administrators exist already. They add others in the console: ${url}`)
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
