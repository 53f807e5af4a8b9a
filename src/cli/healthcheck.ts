/** `ig healthcheck`: calls every safe operation of a running gateway, and reports PASS or FAIL (specification 15.6). */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { compileCatalog } from '../configuration/catalog.ts'
import { listPublishedCalls, type SafeCall, type SafeCalls } from '../explain/published-calls.ts'
import { type Mode, modeRows, verificationOf } from '../model/verification.ts'
import { fillTemplate } from '../serve/development/curl-lines.ts'
import { Failure } from '../terminal/explain-failure.ts'
import { requireOperation } from '../terminal/find-named.ts'
import { colours, print, printJson, show } from '../terminal/print.ts'
import { collect, isProjectFolder, readProjectSettings } from '../terminal/project-options.ts'
import { readKnownPassword } from '../terminal/read-password.ts'
import { openRequestedProject, revisionOption } from '../terminal/read-requested-project.ts'
import { terminal } from '../terminal/terminal.ts'

interface Options {
  readonly project?: string
  readonly revision?: string
  readonly as?: string
  readonly value?: readonly string[]
  readonly skip?: readonly string[]
  readonly json?: boolean
}

export function healthcheck(command: Command): void {
  command
    .description(
      'Calls every GET and HEAD operation that a running gateway publishes to the caller (ig.describe=permitted). ' +
        'If it publishes no description, calls those of the project in the current folder. Calls each operation ' +
        'once per URI template with sample values, and each stand-in of the project with the values of a recorded ' +
        'row. PASS means a status of 200 to 299 that is not a refusal page. Exit code 1 if a call fails. Set the ' +
        'password of --as in IG_HEALTHCHECK_PASSWORD, or enter it when asked; set a bearer token for OAuth2 ' +
        'operations in IG_HEALTHCHECK_TOKEN, and a session token for Token operations in ' +
        'IG_HEALTHCHECK_SESSION_TOKEN.',
    )
    .argument('<url>', 'http://127.0.0.1:8080, or with the path of a node')
    .option('--project <folder>', 'call the operations of this project instead of the published ones')
    .option(...revisionOption)
    .option('--as <operator>', 'operator for operations with Basic authentication')
    .option('--value <name=value>', 'a value for the variable of that name, repeatable', collect)
    .option('--skip <operation>', 'an operation to leave out, repeatable', collect)
    .option('--json', 'print the results as JSON')
    .addHelpText('after', examples)
    .action(run)
}

const examples = `
Examples:
  ig healthcheck http://127.0.0.1:8080 --as DEMO --value key=hello
  IG_HEALTHCHECK_TOKEN=$(ig access-token DEMO) ig healthcheck http://127.0.0.1:8080`

interface Check {
  readonly operation: string
  /** The path after the node. */
  readonly path: string
  readonly isPassed: boolean
  /** Undefined if there was no response. */
  readonly status: number | undefined
  readonly durationMs: number
  readonly reason: string
}

/** The values of their headers. */
type Credentials = ReadonlyMap<Mode, string>

async function run(url: string, options: Options): Promise<void> {
  const credentials = await readCredentials(options)
  const { base, calls, operations } =
    (await findPublished(url, credentials, options)) ?? (await findInProject(url, options))
  const skipped = new Set((options.skip ?? []).map((name) => requireOperation(name, { operations }).id))
  const checks: Check[] = []
  for (const call of calls.filter(({ operation }) => !skipped.has(operation))) {
    const check = await checkOne(base, call, credentials.get(call.mode))
    checks.push(check)
    if (!options.json) printCheck(check)
  }
  const failed = checks.filter(({ isPassed }) => !isPassed).length
  if (failed > 0 || checks.length === 0) terminal().exitCode = 1
  if (options.json) return printJson(checks)
  const left = skipped.size > 0 ? `, ${skipped.size} skipped` : ''
  print(checks.length === 0 ? 'No operations to call.' : `${checks.length - failed} passed, ${failed} failed${left}.`)
}

/** Unless a project is named: the published operations, if any (specification 12.1). */
async function findPublished(url: string, credentials: Credentials, options: Options): Promise<SafeCalls | undefined> {
  if (options.project !== undefined || options.revision !== undefined) return undefined
  const connector = readBase(url, `${readProjectSettings('.').gatewayPath}/RESTListeningConnector/`).replace(
    /[^/]*$/,
    '',
  )
  const [authorization] = verificationOf('NONE').takes.flatMap((mode) => credentials.get(mode) ?? [])
  const published = `${connector}openapi.json`
  try {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
    const response = await fetch(published, { headers, redirect: 'manual', signal: AbortSignal.timeout(timeout) })
    return response.ok
      ? listPublishedCalls(await response.json(), published, readValues(options.value ?? []))
      : undefined
  } catch {
    return undefined // the calls will report that it does not answer
  }
}

async function findInProject(url: string, options: Options): Promise<SafeCalls> {
  const { project = '.' } = options
  if (options.project === undefined && !isProjectFolder(project))
    throw new Failure(
      `${show(url)} publishes no API description (ig.describe=permitted), and ${resolve(project)} is not a project. Name one with --project <folder>.`,
    )
  const { gatewayPath } = readProjectSettings(project)
  const { configuration, handlers } = await openRequestedProject({ ...options, project })
  const catalog = compileCatalog(configuration, handlers)
  const base = readBase(url, `${gatewayPath}/RESTListeningConnector/${catalog.defaultNode}`)
  const values = readValues(options.value ?? [])
  const active = [...catalog.services.values()].flatMap((methods) => [...methods.values()])
  const safe = active.filter(({ method }) => /^(?:GET|HEAD)$/.test(method))
  const calls = safe.flatMap((operation) => {
    const { id, segment, method, templates } = operation
    const { mode } = verificationOf(operation.verification)
    return templates
      .toSorted((a, b) => a.index - b.index)
      .map((template): SafeCall => {
        const uri = fillTemplate(template, operation, values)
        const call = { operation: id, method, path: `/${segment}${uri ?? ''}`, mode } as const
        return uri === undefined ? { ...call, fault: cannotCarry } : call
      })
  })
  return { base, calls, operations: catalog.operations }
}

const cannotCarry = 'its URI template does not accept the values: give others with --value name=value'

function readBase(url: string, path: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new Failure(`${show(url)} is not an http or https URL.`)
  }
  const { origin, pathname, username, password } = new URL(url)
  if (username || password)
    throw new Failure('do not put credentials in the URL. Use --as and IG_HEALTHCHECK_PASSWORD.')
  const given = pathname.replace(/\/+$/, '')
  return given === '' ? `${origin}/${path}` : `${origin}${given}`
}

function readValues(pairs: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, readonly string[]>()
  for (const pair of pairs) {
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(pair) ?? []
    if (name === '') throw new Failure(`${show(pair)} is not name=value.`)
    values.set(name, [...(values.get(name) ?? []), value])
  }
  return values
}

/** The value of the header of each mode. */
async function readCredentials({ as }: Options): Promise<Credentials> {
  const { env } = terminal()
  const user = as === undefined ? undefined : Buffer.from(`${as}:${await readPassword(as)}`).toString('base64')
  return new Map(
    modeRows.flatMap(({ mode, isPassword, variable, scheme }) => {
      const secret = isPassword ? user : env[variable ?? '']?.trim()
      return secret ? [[mode, scheme ? `${scheme} ${secret}` : secret] as const] : []
    }),
  )
}

async function readPassword(id: string): Promise<string> {
  const password = terminal().env.IG_HEALTHCHECK_PASSWORD ?? (await readKnownPassword(id))
  if (password === undefined) throw new Failure('no terminal to ask for the password. Set IG_HEALTHCHECK_PASSWORD.')
  return password
}

const timeout = 30_000

async function checkOne(
  base: string,
  { operation, method, path, mode, fault }: SafeCall,
  credentials: string | undefined,
): Promise<Check> {
  const begun = performance.now()
  const result = (reason: string, status?: number): Check => {
    const durationMs = Math.round(performance.now() - begun)
    return { operation, path, isPassed: reason === '', status, durationMs, reason }
  }
  if (fault !== undefined) return result(fault)
  try {
    const { header } = verificationOf(mode)
    const headers: Record<string, string> = header && credentials ? { [header]: credentials } : {}
    const response = await fetch(`${base}${path}`, {
      method,
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeout),
    })
    const text = await response.text()
    const { status } = response
    if (status === 401 && credentials === undefined) return result(`needs credentials: ${howToGive(mode)}`, status)
    return result(findProblem(status, response.headers, text), status)
  } catch (error) {
    const { name, message, cause } = error as Error & { readonly cause?: NodeJS.ErrnoException }
    return result(
      name === 'TimeoutError' ? `no answer within ${timeout / 1000} s` : cause?.message || cause?.code || message,
    )
  }
}

function howToGive(mode: Mode): string {
  const { isPassword, variable, words } = verificationOf(verificationOf(mode).takes[0])
  if (isPassword) return 'give --as <operator>'
  return variable ? `set ${variable}` : `${words}, which this command has not`
}

/** @returns why a response fails the check, empty if it passes. A refusal may come with the status 200 (specification 4.5, 4.7). */
export function findProblem(status: number, headers: Headers, text: string): string {
  const page = /^text\/html\b/i.test(headers.get('content-type') ?? '')
    ? /[^<>]{0,200}\b(?:not authorized|was not found)\b[^<>]{0,200}/i.exec(text.slice(0, 64 * 1024))?.[0]?.trim()
    : undefined
  const refusal = headers.get('ig-refusal') ?? undefined
  if (page !== undefined) return `refusal page: ${page}`
  if (status < 200 || status > 299)
    return refusal === undefined ? 'the status is not 200 to 299' : `refused: ${refusal}`
  return refusal === undefined ? '' : `refused: ${refusal}`
}

function printCheck({ operation, path, isPassed, status, durationMs, reason }: Check): void {
  const { bold } = colours()
  const verdict = isPassed ? 'PASS' : bold('FAIL')
  const columns = [`${status ?? '-'}`.padEnd(3), `${durationMs} ms`.padStart(8), operation.padEnd(24), show(path)]
  print([verdict, ...columns, ...(reason ? [`(${show(reason)})`] : [])].join('  '))
}
