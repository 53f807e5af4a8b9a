/** `ig compare`: the same calls to two servers, and what differs in their answers (specification 36.9 to 36.12). */
import { readFile, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Command } from 'commander'
import { isLoopback } from '../base/loopback.ts'
import type { Side } from '../moving/compare/replay.ts'
import type { Comparison } from '../moving/compare/report.ts'
import { Failure, formatProblems } from '../terminal/explain-failure.ts'
import { alignColumns, print, printJson, report, show, toTerminal } from '../terminal/print.ts'
import { collect } from '../terminal/project-options.ts'
import { readKnownPassword } from '../terminal/read-password.ts'
import { terminal } from '../terminal/terminal.ts'

interface Options {
  readonly as?: string
  readonly unsafe?: boolean
  readonly mask?: readonly string[]
  readonly header?: readonly string[]
  readonly concurrency: string
  readonly timeout: string
  readonly html?: string
  readonly json?: boolean
}

export function compare(command: Command): void {
  command
    .description(
      'Sends the same calls to the original and to the gateway, and shows the differences in status, headers and ' +
        'body. Compares JSON and XML by content, and treats any two times, and any two ids, as equal. Sends GET and ' +
        'HEAD only; --unsafe adds the other methods. Exit code 1 if a call differs. Credentials: set the password ' +
        'of --as in IG_COMPARE_PASSWORD, or enter it when asked; or a bearer token in IG_COMPARE_TOKEN. If the ' +
        'original needs other credentials, set IG_COMPARE_ORIGINAL_USER and IG_COMPARE_ORIGINAL_PASSWORD, or ' +
        'IG_COMPARE_ORIGINAL_TOKEN.',
    )
    .argument('<original>', 'https://original.example; a path is prepended to the path of each call')
    .argument('<gateway>', 'http://127.0.0.1:8080')
    .argument('<calls>', 'a list, one call per line (GET /path?a=1), or a .har')
    .option('--as <operator>', 'user for Basic authentication')
    .option('--unsafe', 'also send POST, PUT, PATCH and DELETE, which both servers execute')
    .option('--mask <name>', 'a JSON member, XML element, attribute or header to ignore, repeatable', collect)
    .option('--header <name>', 'an additional header to compare, repeatable', collect)
    .option('--concurrency <calls>', 'number of concurrent calls', '8')
    .option('--timeout <seconds>', 'how long to wait for a response', '30')
    .option('--html <file>', 'write a report')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', examples)
    .action(run)
}

const examples = `
Examples:
  ig compare https://original.example http://127.0.0.1:8080 calls.txt --as TESTER
  ig compare https://original.example http://127.0.0.1:8080 recorded.har --mask read \\
    --html differences.html`

async function run(original: string, gateway: string, file: string, options: Options): Promise<void> {
  const concurrency = readNumber('--concurrency', options.concurrency, 256)
  const timeout = readNumber('--timeout', options.timeout, 3600) * 1000
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`${show(file)} cannot be read (${error.code}).`)
  })
  const { readCalls } = await import('../moving/compare/read-calls.ts')
  const { calls: listed, problems } = readCalls(text, basename(file))
  if (problems.length > 0) throw new Failure(formatProblems(`${show(file)} has`, problems))
  const calls = listed.filter(({ method }) => options.unsafe || /^(?:GET|HEAD)$/.test(method))
  const sides = await readSides(original, gateway, options)
  const { comparedHeaders } = await import('../model/content/differences.ts')
  const { replay } = await import('../moving/compare/replay.ts')
  const { summarise, writeReport } = await import('../moving/compare/report.ts')
  const progress = openProgress(calls.length)
  const headers = [...new Set([...comparedHeaders, ...(options.header ?? []).map((name) => name.toLowerCase())])]
  const rules = { masks: new Set(options.mask ?? []), headers }
  const { differ, differing, operations } = await replay(calls, {
    ...sides,
    rules,
    concurrency,
    timeout,
    onCompared: progress.show,
  }).finally(progress.end)
  const skipped = listed.length - calls.length
  const same = calls.length - differ
  const comparison = {
    original: sides.original.base,
    gateway: sides.gateway.base,
    calls: calls.length,
    same,
    differ,
    skipped,
    operations,
    differing,
  }
  if (options.html !== undefined) await writeFile(options.html, writeReport(comparison))
  if (differ > 0 || calls.length === 0) terminal().exitCode = 1
  if (options.json) return printJson(await toJson(comparison))
  await printTable(comparison)
  print(summarise(comparison))
}

function readNumber(name: string, text: string, max: number): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= 1 && number <= max) return number
  throw new Failure(`${name} must be 1 to ${max}, not ${show(text)}.`)
}

async function readSides(
  original: string,
  gateway: string,
  { as }: Options,
): Promise<{ original: Side; gateway: Side }> {
  const { env } = terminal()
  const bases = { original: readBase(original), gateway: readBase(gateway) }
  const password = as === undefined ? undefined : (env.IG_COMPARE_PASSWORD ?? (await readKnownPassword(as)))
  if (as !== undefined && password === undefined)
    throw new Failure(`no password for ${show(as)}: set IG_COMPARE_PASSWORD, or run on a terminal.`)
  const own = writeAuthorization(as, password, env.IG_COMPARE_TOKEN)
  const { IG_COMPARE_ORIGINAL_USER: user, IG_COMPARE_ORIGINAL_PASSWORD: secret, IG_COMPARE_ORIGINAL_TOKEN: token } = env
  const others = writeAuthorization(user, secret, token) ?? own
  return {
    original: requireSafe({ base: bases.original, authorization: others }),
    gateway: requireSafe({ base: bases.gateway, authorization: own }),
  }
}

function writeAuthorization(user: string | undefined, password: string | undefined, token: string | undefined) {
  if (user !== undefined && password !== undefined)
    return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  return token === undefined ? undefined : `Bearer ${token}`
}

function readBase(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) throw new Failure(`${show(text)} is not a URL: https://original.example`)
  if (url.username !== '' || url.password !== '')
    throw new Failure('a URL with a password is visible to others: use --as and IG_COMPARE_PASSWORD.')
  if (url.search !== '' || url.hash !== '') throw new Failure(`${show(text)} has a query, but each call has its own.`)
  return url.href.replace(/\/+$/, '')
}

/** Credentials in plain text stay on this machine. */
function requireSafe(side: Side): Side {
  const { protocol, hostname } = new URL(side.base)
  if (side.authorization === undefined || protocol === 'https:' || isLoopback(hostname.replace(/^\[|\]$/g, '')))
    return side
  throw new Failure(`credentials are sent over TLS only: ${side.base} must be an https URL.`)
}

/** On a terminal only. */
function openProgress(all: number) {
  const { stderr } = terminal()
  const step = Math.max(1, Math.floor(all / 100))
  const write = (text: string) => stderr.isTTY && stderr.write(toTerminal(text))
  return {
    show(count: number) {
      if (count % step === 0) write(`\r${count} of ${all} calls `)
    },
    end: () => void (stderr.isTTY && stderr.write('\r\u001b[K')),
  }
}

async function printTable({ differing, differ, operations }: Comparison): Promise<void> {
  const { showCall } = await import('../moving/compare/report.ts')
  const { showLeftOut } = await import('../moving/report/adoption-page.ts')
  for (const compared of differing) {
    print(showCall(compared))
    const rows = compared.differences.map(({ what, original, gateway }) => [`  ${what}`, original, gateway])
    for (const line of alignColumns(rows)) print(line)
  }
  for (const { operation, leftOut = [] } of operations)
    if (leftOut.length > 0) print(show(showLeftOut({ operation, headers: leftOut })))
  if (differ > differing.length) report(`${differ - differing.length} more calls differ.`)
}

async function toJson({ differing, ...counts }: Comparison) {
  const { showCall } = await import('../moving/compare/report.ts')
  const listed = differing.map((compared) => ({
    call: showCall(compared),
    place: compared.call.place,
    differences: compared.differences,
  }))
  return { ...counts, differing: listed }
}
