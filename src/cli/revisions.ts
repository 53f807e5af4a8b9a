/** `ig revisions`: every revision with its state, and since when (specification 13.1). */
import type { Command } from 'commander'
import type { Activation, RevisionSummary } from '../configuration/revision.ts'
import { revertedNote } from '../project/confirm-activation.ts'
import { print, printJson, printTable, show } from '../terminal/print.ts'
import { projectOption } from '../terminal/project-options.ts'
import { describeActivation, withRevisions } from '../terminal/use-revisions.ts'

const shownActivations = 20

export function revisions(command: Command): void {
  command
    .description(
      'Lists the revisions in the store, newest first, with their state: active, former, or refused if a process ' +
        'could not serve it and the previous one was activated again. After a rollback, also lists the latest activations.',
    )
    .option(...projectOption)
    .option('--json', 'print { "active", "revisions": […], "activations": […] }')
    .action(list)
}

async function list({ project, json }: { readonly project: string; readonly json?: boolean }): Promise<void> {
  await withRevisions(project, async (store) => {
    const [all, activations] = [await store.list(), await store.activations()]
    if (json) return printJson(describe(all, activations))
    if (all.length === 0) return print('There is no revision yet. Create the first: ig apply <project>')
    const latest = new Map(activations.toReversed().map((activation) => [activation.revision, activation]))
    const rows = all.map(({ number, created, note, author }) => [
      String(number),
      formatTime(created),
      formatTime(latest.get(number)?.time ?? created),
      stateOf(number, activations),
      show(author ?? ''),
      show(note),
    ])
    printTable([['REVISION', 'MADE', 'ACTIVATED', 'STATE', 'AUTHOR', 'NOTE'], ...rows])
    if (activations.length > latest.size) printHistory(activations)
  })
}

/** @param activations the newest first */
function stateOf(revision: number, activations: readonly Activation[]): 'active' | 'refused' | 'former' {
  const latest = activations.findIndex((activation) => activation.revision === revision)
  if (latest === 0) return 'active'
  return activations[latest - 1]?.note === revertedNote(revision) ? 'refused' : 'former'
}

/** Only if a revision was activated again: otherwise it repeats the first table. */
function printHistory(activations: readonly Activation[]): void {
  const rows = activations
    .slice(0, shownActivations)
    .map(({ revision, time, note }) => [formatTime(time), String(revision), show(note)])
  print('')
  printTable([['ACTIVATED', 'REVISION', 'NOTE'], ...rows])
  const more = activations.length - rows.length
  if (more > 0) print(`… and ${more} earlier: ig revisions --json lists all.`)
}

function describe(all: readonly RevisionSummary[], activations: readonly Activation[]) {
  return {
    active: activations[0]?.revision ?? null,
    revisions: all.map(({ created, ...summary }) => ({ ...summary, created: new Date(created).toISOString() })),
    activations: activations.map(describeActivation),
  }
}

/** `2026-11-21 10:41:05Z` */
function formatTime(time: number): string {
  return new Date(time).toISOString().replace('T', ' ').replace(/\.\d+/, '')
}
