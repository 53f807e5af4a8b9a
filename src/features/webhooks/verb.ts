/** `ig webhook`: what was sent to receivers of events, and a test (specification 35.11). */
import type { Command } from 'commander'
import { type AuthorOptions, addAuthorOption, entryOf } from '../../terminal/audited.ts'
import { Failure } from '../../terminal/explain-failure.ts'
import { print, printJson, printTable, show } from '../../terminal/print.ts'
import { projectOption, readProjectSettings } from '../../terminal/project-options.ts'
import { withRevisions } from '../../terminal/use-revisions.ts'
import { describeDeliveries, listReceivers, maxListed, readReceivers } from './receivers.ts'
import { openWebhookRows } from './rows.ts'
import { writeTest } from './write-deliveries.ts'

interface ListOptions {
  readonly project: string
  readonly json?: boolean
}

interface TestOptions extends AuthorOptions {
  readonly project: string
}

export function webhook(command: Command): void {
  const group = command.description(
    'Webhooks: the gateway sends its events, signed, to the receivers of ig.webhooks.urls, and retries until they accept them.',
  )
  group
    .command('list')
    .summary('list the latest events, sent or waiting')
    .description(`Lists the latest ${maxListed} events for each receiver, newest first.`)
    .option(...projectOption)
    .option('--json', 'print the result as JSON')
    .action(list)
  addAuthorOption(
    group
      .command('test')
      .summary('send a test event to all receivers')
      .description('Sends the event webhookTest to all receivers. A serving process sends it within a second.')
      .option(...projectOption),
  ).action(test)
}

async function list({ project, json }: ListOptions): Promise<void> {
  await withRevisions(project, async (_, store) => {
    const webhooks = readReceivers(readProjectSettings(project).webhooks)
    const stored = await openWebhookRows(store.databases).list(maxListed)
    const rows = describeDeliveries(stored, webhooks ? listReceivers(webhooks) : [])
    const toTime = (time: number) => new Date(time).toISOString()
    const all = rows.map(({ created, next, ended, ...row }) => ({
      ...row,
      created: toTime(created),
      next: row.state === 'waiting' ? toTime(next) : null,
      ended: ended === null ? null : toTime(ended),
    }))
    if (json) return printJson(all)
    if (all.length === 0) return print(webhooks ? 'No event was sent yet.' : 'No receiver is set: ig.webhooks.urls.')
    printTable([
      ['EVENT', 'RECEIVER', 'STATE', 'ATTEMPTS', 'CREATED', 'NEXT', 'REASON'],
      ...all.map(({ name, receiver, state, attempts, created, next, reason }) => [
        show(name),
        show(receiver),
        state,
        String(attempts),
        created,
        next ?? '',
        show(reason ?? ''),
      ]),
    ])
  })
}

async function test(options: TestOptions): Promise<void> {
  const webhooks = readReceivers(readProjectSettings(options.project).webhooks)
  if (!webhooks) throw new Failure('no receiver is set. Set ig.webhooks.urls and ig.webhooks.secret.')
  await withRevisions(options.project, async (_, store) => {
    const [first, ...others] = writeTest(webhooks, Date.now())
    await store.administration.audit.append(entryOf(options, { action: 'testWebhooks', subject: first.id }))
    await openWebhookRows(store.databases).add([first, ...others])
    print(`The test ${first.id} is sent by a serving process within a second: ig webhook list shows the result.`)
  })
}
