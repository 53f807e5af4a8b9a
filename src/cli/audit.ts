/** `ig audit verify` and `ig audit export` (specification 18.34, 18.35). */
import type { Command } from 'commander'
import { auditRoutes, describeVerdict } from '../admin/routes/audit.ts'
import { writeJson } from '../base/escape.ts'
import { verifyChain } from '../store/administration/audit-chain.ts'
import { addRemoteOptions } from '../terminal/administration.ts'
import { readAuditFile } from '../terminal/audit-file.ts'
import { Failure, WrongValue } from '../terminal/explain-failure.ts'
import { print, printJson, show } from '../terminal/print.ts'
import { projectOption } from '../terminal/project-options.ts'
import { terminal } from '../terminal/terminal.ts'
import { openWhole } from '../terminal/write-whole.ts'
import { type ActionInput, type Plane, type PlaneOptions, withPlane } from './plane.ts'

type Verdict = ReturnType<typeof describeVerdict>

interface AuditPage {
  readonly items: readonly { readonly hash?: string }[]
  readonly next: number | null
}

interface Options extends PlaneOptions {
  readonly json?: boolean
}

/** Equal to that of `ig drift`, different from that of a failure. */
const differsCode = 3

export function addAuditVerbs(group: Command): void {
  group.description('The audit: who changed what. A hash chains each entry to the previous one.')
  const verifying = group
    .command('verify')
    .argument('[file]', 'an export; without it the audit of the database, or of the gateway at --url')
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
  addRemoteOptions(verifying)
  const exporting = group
    .command('export')
    .summary('write all entries, one JSON object per line')
    .description(
      'Writes every entry with its hash as JSON lines, oldest first; the last line is the head of the chain.',
    )
    .option(...projectOption)
    .option('--out <file>', 'write to this file, which must not exist')
    .option('--force', 'replace the file')
    .action(exportEntries)
  addRemoteOptions(exporting)
}

async function verify(file: string | undefined, options: Options & { readonly head?: string }): Promise<void> {
  const { head, json } = options
  if (head !== undefined && !/^[0-9a-f]{64}$/.test(head))
    throw new WrongValue('--head takes the 64 hexadecimal digits of a head, from the log or an export.')
  const verdict = file === undefined ? await verifyStored(options) : await verifyFile(file, head)
  if (!verdict.isVerified) terminal().exitCode = differsCode
  if (json) return printJson(verdict)
  print(describe(verdict, head))
}

function verifyStored({ head, ...options }: Options & { readonly head?: string }): Promise<Verdict> {
  return withPlane(options, (plane) => ask<Verdict>(plane, 'verifyAudit', { head }))
}

async function verifyFile(file: string, head: string | undefined): Promise<Verdict> {
  const verdict = await verifyChain(readAuditFile(file), { head }).catch((error) => {
    throw error.code === 'ENOENT' ? new Failure(`there is no file ${show(file)}.`) : error
  })
  return describeVerdict(verdict)
}

function describe({ entries, head, difference, hasHead }: Verdict, asked = ''): string {
  if (difference)
    return `Entry ${difference.sequence} does not match the chain: ${difference.reason}. The entries before it are unchanged.`
  if (hasHead === false)
    return `The head ${asked} is not in the chain: entries up to it were changed or removed, and the rest was chained again.`
  const count = entries === 1 ? 'The one entry of the audit is' : `All ${entries} entries of the audit are`
  return entries === 0 ? 'The audit has no entries yet.' : `${count} unchanged. Head: ${head ?? 'none yet'}`
}

interface ExportOptions extends Options {
  readonly out?: string
  readonly force?: boolean
}

function exportEntries({ out, force = false, ...options }: ExportOptions): Promise<void> {
  return withPlane(options, (plane) => writeExport(plane, out, force))
}

async function writeExport(plane: Plane, out: string | undefined, force: boolean): Promise<void> {
  const file = out === undefined ? undefined : openWhole(out, force, 0o600)
  try {
    let [count, head]: [number, string | null] = [0, null]
    const write = (values: readonly object[]) => {
      if (values.length === 0) return
      const lines = values.map((value) => writeJson(value)).join('\n')
      if (file) file.write(`${lines}\n`)
      else print(lines)
    }
    for (let after: number | null = 0; after !== null; ) {
      const page: AuditPage = await ask(plane, 'getAuditChain', { after })
      count += page.items.length
      head = page.items.findLast(({ hash }) => hash !== undefined)?.hash ?? head
      write(page.items)
      after = page.next
    }
    write([{ entries: count, head }])
    file?.finish()
    if (out !== undefined)
      print(`Wrote ${count === 1 ? 'one entry' : `${count} entries`} to ${show(out)}. Head: ${head ?? 'none yet'}`)
  } finally {
    file?.close()
  }
}

async function ask<Answer>(plane: Plane, operationId: string, query: ActionInput['query']): Promise<Answer> {
  const action = auditRoutes.find((route) => route.operationId === operationId)
  if (!action) throw new Error(`there is no action ${operationId}`)
  return (await plane.perform(action, { params: {}, query, body: undefined })).body as Answer
}
