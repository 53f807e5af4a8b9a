/** `ig audit`: verifies the entries of the audit, and exports them (specification 18.34, 18.35, 31.7). */
import { open, rm } from 'node:fs/promises'
import type { Command } from 'commander'
import { type AuditLink, type AuditVerdict, verifyChain } from '../store/administration/audit-chain.ts'
import { addRemoteOptions, findRemoteAdministration, type RemoteOptions } from '../terminal/administration.ts'
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

/** Equal to that of `ig drift`, different from that of a failure. */
const differsCode = 3

export function audit(command: Command): void {
  const group = command.description('The audit: who changed what. A hash chains each entry to the previous one.')
  group
    .command('verify [file]')
    .summary('check that no entry was changed or removed')
    .description(
      'Computes the hashes of all entries in the database or in an export, and reports the first entry that was changed. ' +
        'With an earlier head, from an export or from the log, it also proves that no entry up to that head was changed or ' +
        `removed. Exit code 0: unchanged; ${differsCode}: changed; 1: cannot be verified.`,
    )
    .option(...projectOption)
    .option('--head <hash>', 'an earlier head that the chain must contain')
    .option('--json', 'print { "isVerified", "entries", "head", "difference", "hasHead" }')
    .addHelpText(
      'after',
      '\nExamples:\n  ig audit verify --project /srv/hr --head 9f86…\n  ig audit verify audit.jsonl',
    )
    .action(verify)
  const exporting = group
    .command('export')
    .summary('write all entries, one JSON object per line')
    .description(
      'Writes every entry with its hash as JSON lines, oldest first; the last line is the head of the chain.',
    )
    .option(...projectOption)
    .option('--out <file>', 'write to this file, which must not exist')
    .action(exportEntries)
  addRemoteOptions(exporting)
}

async function verify(file: string | undefined, options: Options & { readonly head?: string }): Promise<void> {
  const { head } = options
  if (head !== undefined && !/^[0-9a-f]{64}$/.test(head))
    throw new Failure('--head takes the 64 hexadecimal digits of a head, from the log or an export.')
  const verdict =
    file === undefined
      ? await withRevisions(options.project, (_, { administration }) => administration.audit.verify(head))
      : await verifyChain(readAuditFile(file), { head }).catch((error) => {
          throw error.code === 'ENOENT' ? new Failure(`there is no file ${show(file)}.`) : error
        })
  const differs = verdict.difference !== undefined || verdict.hasHead === false
  if (differs) terminal().exitCode = differsCode
  if (options.json) return printJson({ isVerified: !differs, ...verdict, head: verdict.head ?? null })
  print(describe(verdict, head))
}

function describe({ entries, head, difference, hasHead }: AuditVerdict, asked = ''): string {
  if (difference)
    return `Entry ${difference.sequence} does not match the chain: ${difference.reason}. The entries before it are unchanged.`
  if (hasHead === false)
    return `The head ${asked} is not in the chain: entries up to it were changed or removed, and the rest was chained again.`
  const count = entries === 1 ? 'The one entry of the audit is' : `All ${entries} entries of the audit are`
  return entries === 0 ? 'The audit has no entries yet.' : `${count} unchanged. Head: ${head ?? 'none yet'}`
}

async function exportEntries({ project, out, ...remote }: Options & RemoteOptions & { readonly out?: string }) {
  const administration = findRemoteAdministration(remote)
  if (administration) return writeExport(administration.walkAudit(), out)
  await withRevisions(project, (_, store) => writeExport(store.administration.audit.walk(), out))
}

/** To standard output, or to a new file that is removed if it fails. */
async function writeExport(pages: AsyncIterable<readonly AuditLink[]>, out: string | undefined): Promise<void> {
  const file = out === undefined ? undefined : await openNew(out)
  try {
    let [count, head]: [number, string | undefined] = [0, undefined]
    const write = async (lines: readonly string[]) => {
      if (lines.length === 0) return
      if (file) await file.write(`${lines.join('\n')}\n`)
      else print(lines.join('\n'))
    }
    for await (const links of pages) {
      const lines = links.flatMap((link) => writeEntry(link) ?? [])
      count += lines.length
      head = links.findLast(({ hash, entry }) => entry && hash !== undefined)?.hash ?? head
      await write(lines)
    }
    await write([writeEnd(count, head)])
    await file?.sync()
    if (out !== undefined)
      print(`Wrote ${count === 1 ? 'one entry' : `${count} entries`} to ${show(out)}. Head: ${head ?? 'none yet'}`)
  } catch (error) {
    if (out !== undefined) await rm(out, { force: true })
    throw error
  } finally {
    await file?.close()
  }
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
