/**
 * `ig explain`: every step's decision about a past transaction, or about a possible request (specification 15.2, 15.3).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { type Explanation, explainCall } from '../explain/explain-call.ts'
import { type Decision, finding, recallDecisions } from '../explain/recall-decisions.ts'
import { emptyBody } from '../model/call.ts'
import { findRecentTransaction, type RecentTransaction } from '../observe/recent-transactions.ts'
import { openTrialGateway, type TrialGateway } from '../serve/open-trial-gateway.ts'
import { buildRefusal } from '../steps/build-refusal.ts'
import { Failure } from '../terminal/explain-failure.ts'
import { alignColumns, print, printJson, show } from '../terminal/print.ts'
import { printDecisions } from '../terminal/print-decisions.ts'
import { collect, projectOption, readProjectSettings, requireProjectFolder } from '../terminal/project-options.ts'
import { openRequestedProject, revisionOption } from '../terminal/read-requested-project.ts'
import { makeCall } from '../terminal/request-line.ts'

interface Options {
  readonly project: string
  readonly revision?: string
  readonly as?: string
  readonly header?: readonly string[]
  readonly tls?: boolean
  readonly from?: string
  readonly json?: boolean
}

export function explain(command: Command): void {
  command
    .description(
      'Shows what each step decided about a recent transaction (ig.recentTransactions), given the id in its ' +
        'response header ig-transaction-id; or what each step would decide about a request, without running its ' +
        'handler. Shows the reason of a refusal, which the caller does not get.',
    )
    .argument('<id-or-request...>', 'a transaction id, or a request: GET /ECHO.v1/echo/x')
    .option(...projectOption)
    .option(...revisionOption)
    .option('--as <operator>', 'for a request: the calling operator; no password needed')
    .option('--header <header>', 'for a request: a header, repeatable', collect)
    .option('--tls', 'for a request: as if it came over TLS')
    .option(
      '--from <address>',
      'for a request: as if this address had connected; if it is a trusted proxy, its headers are used',
    )
    .option('--json', 'print the decisions as JSON')
    .addHelpText('after', examples)
    .action(run)
}

const examples = `
Examples:
  ig explain dab52a25-5312-4e06-a707-0a57a719e62b
  ig explain "GET /KEY_VALUE.v1/hello" --as NOPERM`

async function run(words: readonly string[], options: Options): Promise<void> {
  const [first = '', second, ...more] = words.flatMap((word) => word.trim().split(/ +/))
  if (second === undefined) return explainTransaction(first.toLowerCase(), options)
  if (more.length > 0) throw new Failure('a request is a method and a URL; write spaces as %20.')
  await explainRequest(first, second, options)
}

async function explainTransaction(id: string, { project, json }: Options): Promise<void> {
  requireProjectFolder(project)
  if (!/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(id)) {
    throw new Failure(`${show(id)} is neither a transaction id nor a request, such as "GET /ECHO.v1/echo/x".`)
  }
  const { recentTransactions } = readProjectSettings(project)
  if (recentTransactions === 0) throw new Failure('no transactions are kept: ig.recentTransactions is 0.')
  const found = await findSoon(project, id)
  if (!found) {
    throw new Failure(
      `${id} is not among the latest transactions of this project (ig.recentTransactions=${recentTransactions}).\n` +
        'Look in the error log, which lists every refusal with its transaction id.',
    )
  }
  const { transaction, notes } = found
  if (!transaction) {
    if (json) return printJson({ transaction: null, decisions: [], notes })
    print(`Transaction  ${id}\n\nThe request could not be read, or has no response yet.`)
    for (const note of notes) print(`note: ${note}`)
    return
  }
  const decisions = decisionsOf(transaction)
  if (json) return printJson({ transaction, decisions, notes })
  const { time, durationMs, method, url, remoteAddress, proxy, status, revision } = transaction
  print(
    alignColumns([
      ['Transaction', id],
      [
        'Request',
        `${method} ${url} from ${remoteAddress}${proxy === undefined ? '' : `, as the trusted proxy ${proxy} states`}`,
      ],
      ['Answer', `${status} in ${durationMs} ms, ${time}`],
      ...(revision === undefined ? [] : [['Revision', String(revision)]]),
    ]).join('\n'),
  )
  print('')
  printDecisions(decisions)
  for (const note of notes) print(`note: ${note}`)
}

/** The running gateway writes every two seconds. */
async function findSoon(folder: string, id: string) {
  for (let tries = 0; tries < 8; tries++) {
    const found = await findRecentTransaction(folder, id)
    if (found?.transaction) return found
    await sleep(300)
  }
  return findRecentTransaction(folder, id)
}

function decisionsOf(transaction: RecentTransaction): readonly Decision[] {
  const { endedBy, node, service, operation, operator, permission, verification } = transaction
  const { templateIndex, template = '/', templates = [] } = transaction
  return recallDecisions({
    ...transaction,
    found: {
      target: finding(node && `node ${node}, ${service}`),
      operation: finding(operation),
      authentication: finding(operator && `${operator}; verification ${verification}`),
      permission:
        operator && endedBy === 'permission'
          ? { details: permission ? [permission] : [] }
          : finding(operator && permission),
      uri: templateIndex === undefined ? { details: templates } : { text: `template ${templateIndex}  ${template}` },
    },
  })
}

async function explainRequest(method: string, url: string, options: Options): Promise<void> {
  const settings = readProjectSettings(options.project)
  const project = await openRequestedProject(options)
  const node = project.configuration.nodes.find(({ isDefaultLocal }) => isDefaultLocal)?.name ?? ''
  const { gatewayPath, limits, proxies, compatibility } = settings
  const { rawUrlBytes } = compatibility
  const place = { gatewayPath, node, maxBodyBytes: limits.maxBodyBytes, proxies, rawUrlBytes }
  const call = makeCall(method, url, place, options)
  const withoutMigrations = { ...project, migrations: [] } // no handler runs
  const opened = await openTrialGateway({ project: withoutMigrations, settings, observe() {}, as: options.as, call })
  try {
    const explanation = await explainCall(opened.call, opened.gateway, opened.namedBy)
    const answer = writeAnswer(explanation, opened)
    const { decisions } = explanation
    if (options.json) return printJson({ request: `${call.method} ${call.target}`, answer, decisions })
    print(
      alignColumns([['Request', `${call.method} ${show(call.target)}`], ...(answer ? [['Answer', answer]] : [])]).join(
        '\n',
      ),
    )
    print('')
    printDecisions(decisions)
  } finally {
    await opened.close()
  }
}

/** The refusal as the caller would get it. */
function writeAnswer({ refusal, transaction }: Explanation, { call, gateway }: TrialGateway): string | undefined {
  if (!refusal) return undefined
  const { status, headers, body } = buildRefusal(refusal, call, transaction, {
    settings: gateway.settings,
    observe() {},
    now: gateway.now,
  })
  if (body === emptyBody) return `${status}, without a body`
  const contentType = headers[headers.indexOf('content-type') + 1] ?? ''
  const text = /<BODY>(.*)<\/BODY>/s.exec(body.bytes.toString())?.[1] ?? readDetail(body.bytes.toString())
  return `${status} ${contentType}: ${show(text)}`
}

function readDetail(text: string): string {
  try {
    return (JSON.parse(text) as { detail?: string }).detail ?? ''
  } catch {
    return ''
  }
}
