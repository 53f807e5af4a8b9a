/** `ig healthcheck`: calls every safe operation of a running gateway, and says PASS or FAIL (specification 15.6). */
import type { Command } from 'commander'
import { compileCatalog } from '../model/catalog.ts'
import type { Operation } from '../model/operation.ts'
import { fillTemplate } from '../serve/development/curl-lines.ts'
import { Failure } from '../terminal/explain-failure.ts'
import { requireOperation } from '../terminal/find-named.ts'
import { colours, print, printJson, show } from '../terminal/print.ts'
import { collect, projectOption, readProjectSettings } from '../terminal/project-options.ts'
import { openAsked, revisionOption } from '../terminal/read-asked-project.ts'
import { readKnownPassword } from '../terminal/read-password.ts'
import { terminal } from '../terminal/terminal.ts'

interface Options {
  readonly project: string
  readonly revision?: string
  readonly as?: string
  readonly value?: readonly string[]
  readonly skip?: readonly string[]
  readonly json?: boolean
}

export function healthcheck(command: Command): void {
  command
    .description(
      'Calls every active GET and HEAD operation of a project at a running gateway, or at the original: once for each ' +
        'URI template, with sample values; of a stand-in, those of a recorded row. PASS is a status of 200 to 299 that is no page of refusal. Exit code 1 where ' +
        'one fails. The password of --as is IG_HEALTHCHECK_PASSWORD or asked for; a bearer token for operations with ' +
        'OAuth2 is IG_HEALTHCHECK_TOKEN.',
    )
    .argument('<url>', 'http://127.0.0.1:8080, or with the path of a node')
    .option(...projectOption)
    .option(...revisionOption)
    .option('--as <operator>', 'who calls operations with Basic authentication')
    .option('--value <name=value>', 'a value for the variable of that name, repeatable', collect)
    .option('--skip <operation>', 'an operation to leave out, repeatable', collect)
    .option('--json', 'print the results as JSON')
    .addHelpText('after', examples)
    .action(run)
}

const examples = `
Examples:
  ig healthcheck http://127.0.0.1:8080 --as DEMO --value key=hello
  IG_HEALTHCHECK_TOKEN=$(ig token DEMO) ig healthcheck http://127.0.0.1:8080`

interface Check {
  readonly operation: string
  /** Below the node. */
  readonly path: string
  readonly isPassed: boolean
  /** Undefined where there was no answer. */
  readonly status: number | undefined
  readonly durationMs: number
  readonly reason: string
}

async function run(url: string, options: Options): Promise<void> {
  const settings = readProjectSettings(options.project)
  const { configuration, handlers } = await openAsked(options)
  const catalog = compileCatalog(configuration, handlers)
  const base = readBase(url, `${settings.gatewayPath}/RESTListeningConnector/${catalog.defaultNode}`)
  const skipped = new Set((options.skip ?? []).map((name) => requireOperation(name, catalog)))
  const values = readValues(options.value ?? [])
  const credentials = await readCredentials(options)
  const active = [...catalog.services.values()].flatMap((methods) => [...methods.values()])
  const safe = active.filter((operation) => /^(?:GET|HEAD)$/.test(operation.method) && !skipped.has(operation))
  const checks: Check[] = []
  for (const operation of safe) {
    for (const template of operation.templates.toSorted((a, b) => a.index - b.index)) {
      const path = fillTemplate(template, operation, values)
      const authorization = credentials[operation.verification.replace('SSL', '')]
      const check = await checkOne(base, operation, path, authorization)
      checks.push(check)
      if (!options.json) printCheck(check)
    }
  }
  const failed = checks.filter(({ isPassed }) => !isPassed).length
  if (failed > 0 || checks.length === 0) terminal().exitCode = 1
  if (options.json) return printJson(checks)
  const left = skipped.size > 0 ? `, ${skipped.size} skipped` : ''
  print(
    checks.length === 0 ? 'There is nothing to call.' : `${checks.length - failed} passed, ${failed} failed${left}.`,
  )
}

function readBase(url: string, path: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new Failure(`${show(url)} is no http or https URL.`)
  }
  const { origin, pathname, username, password } = new URL(url)
  if (username || password)
    throw new Failure('credentials do not stand in the URL: use --as and IG_HEALTHCHECK_PASSWORD.')
  const given = pathname.replace(/\/+$/, '')
  return given === '' ? `${origin}/${path}` : `${origin}${given}`
}

function readValues(pairs: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, readonly string[]>()
  for (const pair of pairs) {
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(pair) ?? []
    if (name === '') throw new Failure(`${show(pair)} is no name=value.`)
    values.set(name, [...(values.get(name) ?? []), value])
  }
  return values
}

/** Authorization by verification, without TLS or with it; operations without verification are called as anybody calls them. */
async function readCredentials({ as }: Options): Promise<Readonly<Record<string, string | undefined>>> {
  const { IG_HEALTHCHECK_PASSWORD, IG_HEALTHCHECK_TOKEN } = terminal().env
  const OAuth2 = IG_HEALTHCHECK_TOKEN ? `Bearer ${IG_HEALTHCHECK_TOKEN.trim()}` : undefined
  if (as === undefined) return { OAuth2 }
  const password = IG_HEALTHCHECK_PASSWORD ?? (await readKnownPassword(as))
  if (password === undefined)
    throw new Failure('there is no terminal to ask for the password: set IG_HEALTHCHECK_PASSWORD.')
  return { OAuth2, Basic: `Basic ${Buffer.from(`${as}:${password}`).toString('base64')}` }
}

const timeout = 30_000

async function checkOne(
  base: string,
  { id, alias, version, method, verification }: Operation,
  uri: string | undefined,
  authorization: string | undefined,
): Promise<Check> {
  const path = `/${alias}.${version}${uri ?? ''}`
  const begun = performance.now()
  const result = (reason: string, status?: number): Check => {
    const durationMs = Math.round(performance.now() - begun)
    return { operation: id, path, isPassed: reason === '', status, durationMs, reason }
  }
  if (uri === undefined) return result('its URI template cannot carry the values: give others with --value name=value')
  try {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
    const response = await fetch(`${base}${path}`, {
      method,
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeout),
    })
    const text = await response.text()
    const { status } = response
    const needs = verification.startsWith('OAuth2') ? 'set IG_HEALTHCHECK_TOKEN' : 'give --as <operator>'
    if (status === 401 && authorization === undefined) return result(`needs credentials: ${needs}`, status)
    return result(findFault(status, response.headers, text), status)
  } catch (error) {
    const { name, message, cause } = error as Error & { readonly cause?: NodeJS.ErrnoException }
    return result(
      name === 'TimeoutError' ? `no answer within ${timeout / 1000} s` : cause?.message || cause?.code || message,
    )
  }
}

/** @returns why an answer is no good; empty where it is. A refusal may come with the status 200 (specification 4.5, 4.7). */
export function findFault(status: number, headers: Headers, text: string): string {
  const page = /^text\/html\b/i.test(headers.get('content-type') ?? '')
    ? /[^<>]{0,200}\b(?:not authorized|was not found)\b[^<>]{0,200}/i.exec(text.slice(0, 64 * 1024))?.[0]?.trim()
    : undefined
  const refusal = headers.get('ig-refusal') ?? undefined
  if (page !== undefined) return `refused on a page: ${page}`
  if (status < 200 || status > 299) return refusal === undefined ? 'is no success' : `refused: ${refusal}`
  return refusal === undefined ? '' : `refused: ${refusal}`
}

function printCheck({ operation, path, isPassed, status, durationMs, reason }: Check): void {
  const { bold } = colours()
  const verdict = isPassed ? 'PASS' : bold('FAIL')
  const columns = [`${status ?? '-'}`.padEnd(3), `${durationMs} ms`.padStart(8), operation.padEnd(24), show(path)]
  print([verdict, ...columns, ...(reason ? [`(${show(reason)})`] : [])].join('  '))
}
