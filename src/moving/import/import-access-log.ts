/** `ig import access-log`: the operations that an access log shows, as a table and as a project that passes exactly these on (specification 16.19). */
import { statSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { operationIdOf } from '../../model/operation-name.ts'
import type { Problem } from '../../model/problem.ts'
import type { Verification } from '../../model/verification.ts'
import { showProgress } from '../../terminal/database-file.ts'
import { alignColumns, show } from '../../terminal/print.ts'
import { type LoggedOperation, readAccessLog } from './access-log.ts'
import { defaultUser, fullList, publicList } from './assemble.ts'
import { type Conclusion, type ImportOptions, runImport } from './conclude.ts'
import { noteRenamed, openNames, toAlias, toOperationName } from './names.ts'
import { type PassedProject, writePassedThrough } from './passed-through.ts'
import { chooseGatewayPath, defaultGatewayPath } from './place-url.ts'
import { requireFile } from './read-file.ts'
import { type Claim, closeUndeclared, demand, findStrictest, isOpen, nameOf, silent } from './verification.ts'
import { writeNeeded } from './write-project.ts'

export interface AccessLogOptions extends ImportOptions {
  readonly upstream: string
}

export async function importAccessLog(path: string, options: AccessLogOptions): Promise<void> {
  const [defaultFolder, nothing] = [`${basename(path, extname(path))}-gateway`, { operations: [] }]
  const read = () => readLog(path, options)
  await runImport({ defaultFolder, require: () => requireFile(path), read, nothing }, options)
}

function readLog(path: string, options: AccessLogOptions): Conclusion {
  const source = basename(path)
  const size = Math.max(1, statSync(path).size)
  let bytes = 0
  const log = readAccessLog(path, source, (read) => {
    bytes += read
    if (!options.json) showProgress(bytes / size, 'Reading', 'Reading: 100 %')
  })
  const notices = [...log.notices]
  const operations = findOperations(log.operations, options, notices)
  const { project, rows } = assemble(operations, options.upstream, notices)
  const empty = { path: source, message: 'has no successful call of an operation in the common or combined format' }
  return {
    source,
    notices,
    problems: operations.length === 0 ? [empty] : [],
    write: (folder) => writePassedThrough(project, path, folder, options),
    found: { lines: log.lines, operations: rows },
    review: () => writeTable(rows),
    next: (folder) => ['Operators are added first:', ...writeNeeded(rows, folder)],
  }
}

type FoundOperation = LoggedOperation & Claim

/** An operation that never succeeded is what someone tried, not what the original has. */
function findOperations(
  logged: readonly LoggedOperation[],
  { open = false }: AccessLogOptions,
  notices: Problem[],
): readonly FoundOperation[] {
  const succeeded = logged.filter((one) => one.calls > one.failed)
  const failed = logged.filter((one) => one.calls === one.failed)
  for (const { alias, version, method, calls } of failed)
    notices.push({
      path: nameOf({ alias, version, method }),
      message: `is left out: ${calls === 1 ? 'its only call did not succeed' : `none of its ${calls} calls succeeded`}`,
    })
  const closed = new Set(logged.filter((one) => one.needsCredentials).map(nameOf)) // at any node
  const found = succeeded.map(
    (one): FoundOperation => ({ ...one, ...(closed.has(nameOf(one)) ? demand('Basic') : silent) }),
  )
  return closeUndeclared(found, notices, { open })
}

interface ReportedOperation {
  readonly id: string
  readonly verification: string
  readonly calls: number
  readonly failed: number
  /** The time of the last call, as the log writes it. */
  readonly last: string
  /** The most frequent first. */
  readonly callers: readonly { readonly caller: string; readonly calls: number }[]
}

/** The same operation at several nodes is one: operations are not tied to nodes. */
function assemble(all: readonly FoundOperation[], passThrough: string, notices: Problem[]) {
  const found = all.filter(({ listener }) => listener === undefined)
  const names = openNames(toOperationName, 30)
  const aliases = openNames(toAlias, 60)
  const nodes = openNames(toOperationName, 30)
  const frequent = all.toSorted((a, b) => b.calls - a.calls)
  const gatewayPath = chooseGatewayPath(frequent, notices)
  const nodeNames = [...new Set(frequent.flatMap(({ node }) => (node === undefined ? [] : nodes.nameOf(node))))]
  const groups = Map.groupBy(found, ({ alias, version, method }) => JSON.stringify([alias, version, method]))
  const both = [...groups.values()].map((group) => {
    const [first] = group as [FoundOperation]
    const { version, method, verification } = first
    const [name, alias] = [names.nameOf(first.alias), aliases.nameOf(first.alias)]
    const row = reportGroup(operationIdOf({ name, method, version }), verification, group)
    const handler = isOpen(first) ? { passThrough } : { passThrough, credentials: 'caller' as const } // checked once more
    const identity = { service: 'IMPORTED', name, ...(alias === name ? {} : { alias }), method, version }
    return { row, operation: { ...identity, verification, handler } }
  })
  const guarded = assembleListeners(all, passThrough)
  both.sort((a, b) => (a.row.id < b.row.id ? -1 : 1))
  const rows = [...both.map(({ row }) => row), ...guarded.rows]
  notices.push(...noteRenamed('alias', aliases), ...noteRenamed('node', nodes))
  const open = rows.flatMap((row) => (isOpen(row) ? row.id : []))
  const project: PassedProject = {
    nodes: nodeNames,
    defaultUser: open.length > 0 ? defaultUser : undefined,
    gatewayPath: gatewayPath === defaultGatewayPath ? undefined : gatewayPath,
    operations: both.map(({ operation }) => operation),
    listeners: guarded.listeners,
    permissionLists: [
      ...(open.length > 0 ? [{ name: publicList, operations: open }] : []),
      { name: fullList, operations: rows.map(({ id }) => id) },
    ],
  }
  return { project, rows }
}

function reportGroup(id: string, verification: Verification, group: readonly FoundOperation[]): ReportedOperation {
  const sum = (read: (one: FoundOperation) => number) => group.reduce((total, one) => total + read(one), 0)
  const callers = new Map<string, number>()
  for (const one of group)
    for (const [bytes, calls] of one.callers) {
      const caller = Buffer.from(bytes, 'latin1').toString() // lines are read byte by byte
      callers.set(caller, (callers.get(caller) ?? 0) + calls)
    }
  return {
    id,
    verification,
    calls: sum(({ calls }) => calls),
    failed: sum(({ failed }) => failed),
    last: group.at(-1)?.last ?? '',
    callers: [...callers].map(([caller, calls]) => ({ caller, calls })).sort((a, b) => b.calls - a.calls),
  }
}

/** All calls of a listener have one verification, the strictest of them. */
function assembleListeners(all: readonly FoundOperation[], passThrough: string) {
  const byConnector = Map.groupBy(all, ({ listener }) => listener?.connector)
  byConnector.delete(undefined)
  const both = [...byConnector].map(([connector, calls]) => {
    const verification = findStrictest(calls.map((one) => one.verification))
    const allow = calls.flatMap(({ listener }) => listener?.allow ?? [])
    return {
      rows: [...Map.groupBy(calls, ({ alias }) => alias)].map(([id, group]) => reportGroup(id, verification, group)),
      listener: {
        connector,
        passThrough,
        verification,
        allow: [...new Map(allow.map((triple) => [JSON.stringify(triple), triple])).values()],
        ...(calls.some(({ listener }) => listener?.allow === undefined) && { wsdl: true }),
        ...(calls.some(({ listener }) => listener?.hasPassword) && { nodePassword: true }),
      },
    }
  })
  return { rows: both.flatMap(({ rows }) => rows), listeners: both.map(({ listener }) => listener) }
}

const maxNamed = 3

function writeTable(rows: readonly ReportedOperation[]): readonly string[] {
  const head = ['OPERATION', 'VERIFICATION', 'CALLS', 'FAILED', 'LAST', 'CALLERS']
  return alignColumns([
    head,
    ...rows.map(({ id, verification, calls, failed, last, callers }) => {
      const named = callers.slice(0, maxNamed).map(({ caller, calls }) => `${show(caller)} (${calls})`)
      const rest = callers.length - named.length
      const isCut = callers.reduce((sum, one) => sum + one.calls, 0) < calls
      const more = rest > 0 || isCut ? ` and ${rest}${isCut ? ' or more' : ''} others` : ''
      return [
        id,
        verification + (isOpen({ verification }) ? ' (by --open)' : ''),
        `${calls}`,
        `${failed}`,
        show(last),
        named.join(', ') + more,
      ]
    }),
  ])
}
