/**
 * What an access log in the common or combined format shows of the original: its operations and who calls them
 * (specification 16.19). It is read line by line, and what is kept of it does not grow with its length.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { isIP } from 'node:net'
import { unversioned } from '../../model/operation-name.ts'
import { type Method, methods } from '../../model/operation-terms.ts'
import type { Problem } from '../../model/problem.ts'
import { hideSecretParameters } from '../../model/secret-name.ts'
import { type ListenerCall, placeListener } from './logged-listener.ts'
import { carriesSecret, connector, type PlacedUrl, placeUrl } from './place-url.ts'
import { explainUrl } from './read-har.ts'

export interface LoggedOperation extends Pick<PlacedUrl, 'gatewayPath' | 'node' | 'alias' | 'version'> {
  readonly method: Method
  /** A call of another listener, whose id is the alias. */
  readonly listener?: ListenerCall
  calls: number
  /** Those answered 400 or above. */
  failed: number
  /** A call had a user, whom the original had authenticated, or credentials in its URL, or was refused without. */
  needsCredentials: boolean
  /** The time of the last call, as the log writes it. */
  last: string
  /** `10.1.2.3`, or `KIM 10.1.2.3`, a character a byte → calls. */
  readonly callers: Map<string, number>
}

export interface AccessLog {
  readonly lines: number
  readonly operations: readonly LoggedOperation[]
  readonly notices: readonly Problem[]
}

const maxLine = 16 * 1024
const maxOperations = 10_000
const maxExample = 100
const maxBeginning = 1000
/** Of one operation, and of all; calls of others count, their names are left out. */
const maxCallers = 1000
const maxAllCallers = 200_000
const maxCaller = 100
const maxTime = 40

/**
 * @param file for places: `access.log:17`
 * @param onProgress called with the number of bytes that were read
 */
export function readAccessLog(path: string, file: string, onProgress: (bytes: number) => void): AccessLog {
  /** Operations by method and beginning of the URL as it was written. */
  const written = new Map<string, LoggedOperation>()
  const operations = new Map<string, LoggedOperation>()
  const skipped = new Map<string, { first: number; lines: number; example: string }>()
  let lines = 0
  let allCallers = 0
  const skip = (reason: string, example = '') => {
    const known = skipped.get(reason)
    if (known) known.lines += 1
    else skipped.set(reason, { first: lines, lines: 1, example: keep(example.slice(0, maxExample)) })
  }
  const find = (method: string, target: string): LoggedOperation | undefined => {
    const beginning = beginningOf(target)
    const key = `${method} ${beginning}`
    if (key.length > maxBeginning) return void skip(`with an operation of more than ${maxBeginning} characters`)
    const known = written.get(key)
    if (known) return known
    const found = openOperation(method, beginning, skip)
    if (!found) return undefined
    if (written.size >= maxOperations) return void skip(`beyond ${maxOperations} operations`)
    const id = idOf(found)
    const operation = operations.get(id) ?? found
    operations.set(id, operation)
    written.set(keep(key), operation)
    return operation
  }
  const findOfListener = (method: string, target: string): LoggedOperation | undefined => {
    const placed = placeListener(method, target)
    if (typeof placed !== 'object')
      return void skip(
        placed ?? otherUrl,
        placed === undefined ? hideSecretParameters(target) : target.split('?', 1)[0],
      )
    const { gatewayPath, id: alias, listener } = placed
    const found = {
      ...noCalls(),
      gatewayPath,
      node: undefined,
      alias,
      version: unversioned,
      method: placed.method,
      listener,
    }
    const id = idOf(found) + listener.hasPassword
    const operation = operations.get(id) ?? found
    if (operation === found && operations.size >= maxOperations) return void skip(`beyond ${maxOperations} operations`)
    operations.set(id, operation)
    return operation
  }
  readLines(path, onProgress, (line) => {
    lines += 1
    if (line === '' || line?.startsWith('#')) return
    const entry = line === undefined ? undefined : parseLine(line)
    if (entry === undefined) return skip(unread)
    const [method = '', target = ''] = entry.request.split(' ')
    const operation = target.includes(connector) ? find(method, target) : findOfListener(method, target)
    if (operation === undefined) return
    operation.calls += 1
    const time = entry.time.slice(0, maxTime)
    if (operation.last !== time) operation.last = keep(time)
    if (entry.status >= 400) operation.failed += 1
    if (entry.user !== '-' || entry.status === 401 || entry.status === 403 || carriesSecret(target))
      operation.needsCredentials = true
    const whole = entry.user === '-' ? entry.host : `${entry.user} ${entry.host}`
    const caller = whole.slice(0, maxCaller)
    const { callers } = operation
    const calls = callers.get(caller)
    if (calls !== undefined) callers.set(caller, calls + 1)
    else if (callers.size < maxCallers && allCallers < maxAllCallers) {
      callers.set(keep(caller), 1)
      allCallers += 1
    }
  })
  const notices = [...skipped].map(([reason, { first, lines, example }]): Problem => {
    const which =
      ['is left out', 'and 1 more line are left out'][lines - 1] ?? `and ${lines - 1} more lines are left out`
    const shown = example === '' ? '' : `, such as ${example}`
    return { path: `${file}:${first}`, message: `${which}: ${reason}${shown}` }
  })
  return { lines, operations: [...operations.values()], notices }
}

const unread =
  `in neither the common nor the combined format, or longer than ${maxLine} characters: ` +
  'nothing is known of them, such as calls that were refused for lack of credentials'
const otherUrl = `with a URL without ${connector}`

/** A copy: a part of a line would keep the whole chunk in memory. */
function keep(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1')
}

/** Up to the operation: `/PSIGW/RESTListeningConnector/PSFT_HR/PERSON.v1`. */
function beginningOf(target: string): string {
  let end = target.indexOf(connector) + connector.length
  for (let segment = 0; segment < 2 && end >= 0; segment += 1) end = target.indexOf('/', end + 1)
  const mark = target.indexOf('?')
  const whole = mark < 0 ? target : target.slice(0, mark)
  return end < 0 ? whole : whole.slice(0, end)
}

function openOperation(method: string, target: string, skip: (reason: string, example?: string) => void) {
  const known = methods.find((one) => one === method)
  if (known === undefined) return void skip('with a method that no operation has', method)
  try {
    const { gatewayPath, node, alias, version } = placeUrl(target)
    if (node === undefined) return void skip(otherUrl, target)
    return { ...noCalls(), gatewayPath, node, alias, version, method: known }
  } catch (error) {
    return void skip(`with a URL that ${explainUrl(error)}`, target)
  }
}

const noCalls = () => ({ calls: 0, failed: 0, needsCredentials: false, last: '', callers: new Map<string, number>() })

function idOf({ gatewayPath, node, alias, version, method }: LoggedOperation): string {
  return JSON.stringify([gatewayPath, node, alias, version, method])
}

interface Entry {
  readonly host: string
  readonly user: string
  readonly time: string
  readonly request: string
  readonly status: number
}

/**
 * `host ident user [time] "request" status bytes`, and whatever follows. Without a regular expression over the whole line:
 * a line is what a stranger sent.
 */
function parseLine(line: string): Entry | undefined {
  const quote = line.indexOf('] "')
  const bracket = line.lastIndexOf(' [', quote)
  if (quote < 0 || bracket < 0) return undefined
  const [host = '', ident = '', user, ...more] = line.slice(0, bracket).split(' ')
  if (host === '' || user === undefined || more.length > 0) return undefined
  if (isIP(ident) !== 0) return undefined // behind a virtual host or a proxy
  const end = findQuote(line, quote + 3)
  const [, status] = /^" (\d{3}) (?:\d+|-)(?:\s|$)/.exec(line.slice(end, end + 40)) ?? []
  if (end < 0 || status === undefined) return undefined
  return {
    host,
    user,
    time: line.slice(bracket + 2, quote),
    request: line.slice(quote + 3, end),
    status: Number(status),
  }
}

/** The next one that no backslash precedes. */
function findQuote(line: string, from: number): number {
  for (let at = from; at < line.length; at += 1) {
    if (line[at] === '\\') at += 1
    else if (line[at] === '"') return at
  }
  return -1
}

const chunkSize = 256 * 1024

/** @param onLine without its end; undefined for a line that is too long */
function readLines(
  path: string,
  onProgress: (bytes: number) => void,
  onLine: (line: string | undefined) => void,
): void {
  const file = openSync(path, 'r')
  try {
    const chunk = Buffer.alloc(chunkSize)
    let rest = ''
    let isTooLong = false
    const take = (line: string) => {
      onLine(isTooLong || line.length > maxLine ? undefined : line.replace(/\r$/, ''))
      isTooLong = false
    }
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) {
      onProgress(read)
      const lines = (rest + chunk.toString('latin1', 0, read)).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) take(line)
      if (rest.length <= maxLine) continue
      isTooLong = true
      rest = ''
    }
    if (rest !== '' || isTooLong) take(rest)
  } finally {
    closeSync(file)
  }
}
