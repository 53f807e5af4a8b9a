/** `ig shadow`: what the comparisons of shadow handlers have found (specification 36.17). */
import type { Command } from 'commander'
import { Failure } from '../../terminal/explain-failure.ts'
import { print, printJson, show } from '../../terminal/print.ts'
import { projectOption } from '../../terminal/project-options.ts'
import { withRevisions } from '../../terminal/use-revisions.ts'
import { openShadowRows, summariseShadow } from './rows.ts'

interface ListOptions {
  readonly project: string
  readonly json?: boolean
}

export function shadow(command: Command): void {
  const group = command.description(
    'Shadow handlers: how their answers differ from those of the server that operations are passed through to.',
  )
  group
    .command('list [operation]')
    .summary('list what differs')
    .description('Lists the operations with a shadow, the number of calls compared, and the latest that differ.')
    .option(...projectOption)
    .option('--json', 'print the result as JSON')
    .action(list)
  group
    .command('forget <operation>')
    .summary('restart the count')
    .description('Removes the counts and differences of an operation. Use it after you change the handler.')
    .option(...projectOption)
    .action(forget)
}

async function list(operation: string | undefined, { project, json }: ListOptions): Promise<void> {
  await withRevisions(project, async (_, store) => {
    const rows = (await openShadowRows(store.databases).list()).filter(
      (row) => row.calls + row.notRun > 0 && (operation === undefined || row.operation === operation),
    )
    if (json) return printJson(rows)
    if (rows.length === 0) return print('No calls have been compared yet.')
    print(
      rows
        .flatMap((row) => [
          `${row.operation}: ${summariseShadow(row)}`,
          ...row.outside.map((what) => `  outside the database: ${what}`),
          ...row.differing.flatMap(({ time, transactionId, call, differences }) => [
            `  ${new Date(time).toISOString()} ${transactionId} ${show(call)}`,
            ...differences.map((each) => `    ${show(each)}`),
          ]),
        ])
        .join('\n'),
    )
  })
}

async function forget(operation: string, { project }: ListOptions): Promise<void> {
  await withRevisions(project, async (_, store) => {
    if (!(await openShadowRows(store.databases).forget(operation)))
      throw new Failure(`No call of ${show(operation)} was compared. List with ig shadow list.`)
    print(`The count of ${show(operation)} starts again.`)
  })
}
