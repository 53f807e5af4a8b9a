/** `ig audit`: whether the entries of the audit are those that were made, and a copy of them (specification 18.34, 18.35). */
import { open } from 'node:fs/promises'
import type { Command } from 'commander'
import { type AuditVerdict, verifyChain } from '../model/audit-chain.ts'
import { readAuditFile, writeEnd, writeEntry } from '../terminal/audit-file.ts'
import { Failure } from '../terminal/explain-failure.ts'
import { print, printJson, show } from '../terminal/print.ts'
import { projectOption } from '../terminal/project-options.ts'
import { terminal } from '../terminal/terminal.ts'
import { withRevisions } from '../terminal/use-revisions.ts'

interface Options {
  readonly project: string
  readonly json?: boolean
}

/** As that of `ig drift`: a script can tell it from a failure. */
const differsCode = 3

export function audit(command: Command): void {
  const group = command.description(
    'The entries of the audit: who changed what. Each is chained to the one before by its hash.',
  )
  group
    .command('verify [file]')
    .summary('check that no entry was changed or removed')
    .description(
      'Computes the hashes of all entries of the database, or of an export, and names the first entry that differs from ' +
        'what was chained. A head of an earlier time, which every export and the log have, shows that the entries up to it are ' +
        `still there as they were. Exit code 0 where all is as it was, ${differsCode} where it is not, 1 where that cannot be told.`,
    )
    .option(...projectOption)
    .option('--head <hash>', 'of an earlier time: it must be in the chain')
    .option('--json', 'print { "isVerified", "entries", "head", "unchained", "difference", "hasHead" }')
    .addHelpText(
      'after',
      '\nExamples:\n  ig audit verify --project /srv/hr --head 9f86…\n  ig audit verify audit.jsonl',
    )
    .action(verify)
  group
    .command('export')
    .summary('write all entries, one JSON object a line')
    .description(
      'Writes every entry with its hash, the oldest first, as JSON lines; the last line is the head of the chain.',
    )
    .option(...projectOption)
    .option('--out <file>', 'write it to a file that does not exist')
    .action(exportEntries)
}

async function verify(file: string | undefined, options: Options & { readonly head?: string }): Promise<void> {
  const { head } = options
  if (head !== undefined && !/^[0-9a-f]{64}$/.test(head))
    throw new Failure('--head takes the 64 hexadecimal digits of a head, as the log and an export have it.')
  const verdict =
    file === undefined
      ? await withRevisions(options.project, (_, { administration }) => administration.audit.verify(head))
      : await verifyChain(readAuditFile(file), { head }).catch((error) => {
          throw error.code === 'ENOENT' ? new Failure(`there is no file ${show(file)}.`) : error
        })
  const differs = verdict.difference !== undefined || verdict.hasHead === false
  const isUntold = file !== undefined && verdict.unchained > 0 // in a database the next change chains them
  if (differs || isUntold) terminal().exitCode = differs ? differsCode : 1
  if (options.json) return printJson({ isVerified: !differs && !isUntold, ...verdict, head: verdict.head ?? null })
  print(isUntold && !differs ? describeUntold(verdict) : describe(verdict, head))
}

function describeUntold({ entries, head, unchained }: AuditVerdict): string {
  const cannot = 'have no hash: whether they are as they were cannot be told.'
  if (unchained === entries) return `The ${entries} entries of the export ${cannot}`
  return `The first ${entries - unchained} entries are as chained. Head: ${head}. The ${unchained} behind them ${cannot}`
}

function describe({ entries, head, unchained, difference, hasHead }: AuditVerdict, asked = ''): string {
  if (difference)
    return `Entry ${difference.sequence} differs from what was chained: ${difference.reason}. The entries before it are as they were.`
  if (hasHead === false)
    return `The head ${asked} is not in the chain: entries up to it were changed or removed, and the rest was chained anew.`
  const count = entries === 1 ? 'The one entry of the audit is' : `All ${entries} entries of the audit are`
  const later = unchained > 0 ? `\n${unchained} of them are not chained yet; the next change chains them.` : ''
  return entries === 0 ? 'The audit has no entry yet.' : `${count} as chained. Head: ${head ?? 'none yet'}${later}`
}

async function exportEntries({ project, out }: Options & { readonly out?: string }): Promise<void> {
  await withRevisions(project, async (_, { administration }) => {
    const file = out === undefined ? undefined : await openNew(out)
    try {
      let [count, head]: [number, string | undefined] = [0, undefined]
      const write = async (lines: readonly string[]) => {
        if (lines.length === 0) return
        if (file) await file.write(`${lines.join('\n')}\n`)
        else print(lines.join('\n'))
      }
      for await (const links of administration.audit.walk()) {
        const lines = links.flatMap((link) => writeEntry(link) ?? [])
        count += lines.length
        head = links.findLast(({ hash, entry }) => entry && hash !== undefined)?.hash ?? head
        await write(lines)
      }
      await write([writeEnd(count, head)])
      await file?.sync()
      if (out !== undefined)
        print(
          `${count === 1 ? 'One entry is' : `${count} entries are`} written to ${show(out)}. Head: ${head ?? 'none yet'}`,
        )
    } finally {
      await file?.close()
    }
  })
}

function openNew(path: string) {
  return open(path, 'wx', 0o600).catch((error) => {
    throw new Failure(
      error.code === 'EEXIST'
        ? `${show(path)} exists. Name another file.`
        : `${show(path)} cannot be written: ${error.message}`,
    )
  })
}
