/** `ig try`: calls an operation in this process, as any operator, and shows what each step decided (specification 15.1). */
import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import type { Command } from 'commander'
import { showLine, showLines } from '../base/escape.ts'
import { decodeBeginning, readBeginning } from '../explain/read-beginning.ts'
import { type Decision, decisionsOf } from '../explain/recall-decisions.ts'
import { answer } from '../gateway.ts'
import { emptyBody, listHeaders, type Reply } from '../model/call.ts'
import type { AnsweredCall } from '../model/call-record.ts'
import type { Note, Observation } from '../model/observation.ts'
import { formatProblem } from '../model/problem.ts'
import { redactProse } from '../observe/masking/redact.ts'
import { openTrialGateway } from '../serve/open-trial-gateway.ts'
import { Failure } from '../terminal/explain-failure.ts'
import { colours, print, printJson, show, warn } from '../terminal/print.ts'
import { printDecisions } from '../terminal/print-decisions.ts'
import { collect, projectOption, readProjectSettings } from '../terminal/project-options.ts'
import { openRequestedProject, revisionOption } from '../terminal/read-requested-project.ts'
import { makeCall } from '../terminal/request-line.ts'
import { terminal } from '../terminal/terminal.ts'

interface Options {
  readonly project: string
  readonly revision?: string
  readonly as?: string
  readonly header?: readonly string[]
  readonly body?: string
  readonly bodyFile?: string
  readonly tls?: boolean
  readonly from?: string
  readonly json?: boolean
}

export function tryCall(command: Command): void {
  command
    .description(
      'Calls an operation of a project in this process, through the same steps as a call over HTTP and on the ' +
        "project's own database, so the handler's writes are stored. No gateway needs to run. Prints status, " +
        'headers and body, and what each step decided. Exit code 1 if the call is refused or fails.',
    )
    .argument('<method>', 'GET, POST, PUT, DELETE, PATCH, HEAD or OPTIONS')
    .argument('<url>', 'the URL, or its part from the operation on: /ECHO.v1/echo/x')
    .option(...projectOption)
    .option(...revisionOption)
    .option('--as <operator>', 'operator to call as; no password needed')
    .option('--header <header>', "a header, repeatable: 'Accept: text/xml'", collect)
    .option('--body <text>', 'the body')
    .option('--body-file <file>', 'read the body from a file; - for standard input')
    .option('--tls', 'as if it came over TLS')
    .option('--from <address>', 'as if this address had connected; if it is a trusted proxy, its headers are used')
    .option('--json', 'print { "status", "headers", "body", "transactionId", "decisions", "notes" }')
    .addHelpText('after', examples)
    .action(run)
}

const examples = `
Examples:
  ig try GET /ECHO.v1/echo/x --as DEMO
  ig try POST /KEY_VALUE.v1 --as DEMO --header 'Idempotency-Key: 8e03978e' \\
    --body-file rows.xml
  ig try POST /KEY_VALUE.v1 --as DEMO \\
    --body '<request><row><key>a</key><value>b</value></row></request>'`

async function run(method: string, url: string, options: Options): Promise<void> {
  const settings = readProjectSettings(options.project)
  for (const warning of settings.warnings) warn(formatProblem(warning))
  const project = await openRequestedProject(options)
  const node = project.configuration.nodes.find(({ isDefaultLocal }) => isDefaultLocal)?.name ?? ''
  const { gatewayPath, limits, proxies, compatibility } = settings
  const { rawUrlBytes } = compatibility
  const place = { gatewayPath, node, maxBodyBytes: limits.maxBodyBytes, proxies, rawUrlBytes }
  const call = makeCall(method, url, place, options, await readBody(options))
  const observations: Observation[] = []
  const observe = (observation: Observation) => void observations.push(observation)
  const opened = await openTrialGateway({ project, settings, observe, as: options.as, call })
  try {
    const reply = await readStream(await answer(opened.call, opened.gateway))
    const answered = observations.find(({ kind }) => kind === 'answered') as AnsweredCall
    const notes = observations.filter((observation) => observation.kind === 'note')
    const reason = answered.refusal && redactProse(answered.refusal.message)
    const decisions = decisionsOf(answered, opened.gateway, opened.namedBy, reason)
    if (answered.refusal || reply.status >= 400) terminal().exitCode = 1
    if (options.json) printJson(describe(reply, answered, decisions, notes))
    else printReply(call.method === 'HEAD' ? { ...reply, body: emptyBody } : reply, decisions, notes)
  } finally {
    await opened.close()
  }
}

/** A stream ends when it is read, and no more of it is read than is shown. */
async function readStream(reply: Reply): Promise<Reply> {
  return reply.body.stream ? { ...reply, body: { bytes: await readBeginning(reply.body, shownBytes) } } : reply
}

const shownBytes = 1024 * 1024

async function readBody({ body, bodyFile }: Options): Promise<Buffer> {
  if (body !== undefined && bodyFile !== undefined) throw new Failure('use --body or --body-file, not both.')
  if (bodyFile === undefined) return Buffer.from(body ?? '')
  if (bodyFile === '-') return buffer(terminal().stdin)
  return readFile(bodyFile).catch((error) => {
    throw new Failure(`--body-file cannot be read: ${(error as Error).message}`)
  })
}

function printReply(reply: Reply, decisions: readonly Decision[], notes: readonly Note[]): void {
  const { status, body } = reply
  const { bold, dim } = colours()
  print(bold(String(status)))
  for (const [name, value] of listHeaders(reply)) print(dim(`${name}: ${show(value)}`))
  print('')
  if (body.file) print(`(${body.file.size} bytes, not shown)\n`)
  else if (body.bytes.length > 0) print(`${showBody(body.bytes)}\n`)
  printDecisions(decisions)
  for (const { level, message } of notes) print(`${level}: ${showLine(redactProse(message), 4000)}`)
}

function showBody(bytes: Buffer): string {
  const text = decodeBeginning(bytes, shownBytes)
  return text === undefined ? `(${bytes.length} bytes, not text)` : showLines(text, shownBytes).trimEnd()
}

function describe(reply: Reply, { transaction }: AnsweredCall, decisions: readonly Decision[], notes: readonly Note[]) {
  const { status, body } = reply
  return {
    status,
    headers: listHeaders(reply),
    body: body.file
      ? { size: body.file.size }
      : (decodeBeginning(body.bytes, shownBytes) ?? { base64: body.bytes.toString('base64') }),
    transactionId: transaction.id,
    decisions,
    notes: notes.map(({ level, message }) => ({ level, message: redactProse(message) })),
  }
}
