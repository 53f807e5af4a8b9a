/**
 * Definitions of the original, exported as CSV with one file a record: operations, permission lists and operators
 * (specification 16.14). D-1018 names the public sources of the columns.
 */
import { suggest } from '../../base/nearest.ts'
import { guard, unguard } from '../../configuration/operator-file/formula.ts'
import { type CsvRecord, parseCsv } from '../../configuration/operator-file/parse-csv.ts'
import { operationIdOf } from '../../model/operation-name.ts'
import { type Method, methods } from '../../model/operation-terms.ts'
import type { Problem } from '../../model/problem.ts'
import { isActive, readAliases } from './external-aliases.ts'
import { openNames, toName } from './names.ts'
import { quoteNames } from './write-notes.ts'

/** The columns that a public source states; the first ones are required. */
const columns = {
  PSOPERATION: ['IB_OPERATIONNAME', 'IB_SERVICENAME', 'RTNGTYPE', 'IB_REST_SERVICE', 'IB_RESTMETHOD', 'DESCR'],
  PSOPRVERDFN: ['IB_OPERATIONNAME', 'VERSIONNAME', 'ACTIVE_FLAG'],
  PSAUTHWS: ['IB_OPERATIONNAME', 'CLASSID'],
  PSOPRDEFN: ['OPRID', 'OPRDEFNDESC', 'EMAILID', 'ACCTLOCK', 'OPERPSWD', 'OPERPSWDSALT'],
  PSOPRCLS: ['OPRID', 'OPRCLASS'],
  PSIBRTNGDEFN: ['ROUTINGDEFNNAME', 'IB_OPERATIONNAME', 'EFF_STATUS'],
  PSIBRTNGSUBDEFN: ['ROUTINGDEFNNAME', 'ALIASNAME'],
} as const
export type RecordName = keyof typeof columns
export const recordNames = Object.keys(columns) as readonly RecordName[]

/** The values of a row by column, and where it was read: `PSOPERATION.csv, line 3`. */
type Row = Readonly<Record<string, string>> & { readonly place: string }

export interface DefinedOperation {
  readonly service: string
  readonly name: string
  readonly alias?: string
  readonly method: Method
  readonly version: string
  readonly description?: string
}

export interface Definitions {
  readonly operations: readonly DefinedOperation[]
  readonly permissionLists: readonly { readonly name: string; readonly operations: readonly string[] }[]
  /** The file for `ig operator import`; undefined without PSOPRDEFN. */
  readonly operators: string | undefined
  readonly notices: readonly Problem[]
  readonly problems: readonly Problem[]
}

/** @param files the texts of those that exist */
export function readDefinitions(files: ReadonlyMap<RecordName, string>): Definitions {
  const problems: Problem[] = []
  const notices: Problem[] = []
  const rows = (record: RecordName) => readRows(record, files.get(record), notices, problems)
  for (const record of ['PSOPERATION', 'PSOPRVERDFN'] as const)
    if (!files.has(record)) problems.push({ path: `${record}.csv`, message: 'is missing' })
  const versions = Map.groupBy(rows('PSOPRVERDFN'), (row) => row.IB_OPERATIONNAME ?? '')
  const lists = openNames(toName, 30)
  const services = openNames(toName, 30)
  const operations = new Map<string, readonly DefinedOperation[]>()
  for (const row of rows('PSOPERATION')) {
    const full = row.IB_OPERATIONNAME ?? ''
    if (operations.has(full))
      notices.push({ path: row.place, message: `is left out: it repeats ${JSON.stringify(full)}` })
    else operations.set(full, readOperation(row, versions.get(full) ?? [], services, notices))
  }
  const [routings, named] = [rows('PSIBRTNGDEFN'), rows('PSIBRTNGSUBDEFN')]
  const aliases = readAliases(routings, named, operations, notices)
  const absent = (record: RecordName, what: string, names: readonly string[]) => {
    const all = [...new Set(names)]
    if (all.length > 0)
      notices.push({ path: `${record}.csv`, message: `has ${what}, which are left out: ${quoteNames(all)}` })
  }
  const unlisted = (found: readonly (string | undefined)[]) =>
    found.flatMap((name = '') => (operations.has(name) ? [] : name))
  const grantRows = rows('PSAUTHWS')
  const granted = Map.groupBy(grantRows, (row) => row.CLASSID ?? '')
  absent('PSOPRVERDFN', 'versions of operations that PSOPERATION.csv does not have', unlisted([...versions.keys()]))
  absent(
    'PSAUTHWS',
    'operations that PSOPERATION.csv does not have',
    unlisted(grantRows.map(({ IB_OPERATIONNAME }) => IB_OPERATIONNAME)),
  )
  absent(
    'PSIBRTNGDEFN',
    'routings of operations that PSOPERATION.csv does not have',
    unlisted(routings.map(({ IB_OPERATIONNAME }) => IB_OPERATIONNAME)),
  )
  absent(
    'PSIBRTNGDEFN',
    'routings that are not active',
    routings.flatMap((row) => (isActive(row) ? [] : (row.ROUTINGDEFNNAME ?? ''))),
  )
  const routed = new Set(routings.map(({ ROUTINGDEFNNAME }) => ROUTINGDEFNNAME))
  absent(
    'PSIBRTNGSUBDEFN',
    'aliases of routings that PSIBRTNGDEFN.csv does not have',
    named.flatMap(({ ROUTINGDEFNNAME = '' }) => (routed.has(ROUTINGDEFNNAME) ? [] : ROUTINGDEFNNAME)),
  )
  const permissionLists = [...granted].map(([classId, grants]) => ({
    name: lists.nameOf(classId),
    operations: grants
      .flatMap(({ IB_OPERATIONNAME = '' }) => operations.get(IB_OPERATIONNAME)?.map(operationIdOf) ?? [])
      .sort(),
  }))
  const [people, memberships] = [rows('PSOPRDEFN'), rows('PSOPRCLS')]
  const operators = files.has('PSOPRDEFN')
    ? writeOperators(people, memberships, new Set(granted.keys()), lists.nameOf, notices)
    : undefined
  const ids = new Set(people.map(({ OPRID }) => OPRID))
  absent(
    'PSOPRCLS',
    'permission lists without an operation in PSAUTHWS.csv',
    memberships.flatMap(({ OPRCLASS = '' }) => (granted.has(OPRCLASS) ? [] : OPRCLASS)),
  )
  absent(
    'PSOPRCLS',
    'operators that PSOPRDEFN.csv does not have',
    memberships.flatMap(({ OPRID = '' }) => (ids.has(OPRID) ? [] : OPRID)),
  )
  for (const [text, name] of [...lists.changed, ...services.changed])
    notices.push({ path: JSON.stringify(text), message: `is renamed to "${name}"` })
  return {
    operations: [...operations.values()]
      .flat()
      .map((one) => ({ ...one, ...(aliases.has(one.name) && { alias: aliases.get(one.name) as string }) }))
      .toSorted((one, other) => (operationIdOf(one) < operationIdOf(other) ? -1 : 1)),
    permissionLists: permissionLists.filter(({ operations }) => operations.length > 0),
    operators,
    notices,
    problems,
  }
}

/** An operation for each active version; the method is the end of the name, as in the original. */
function readOperation(
  row: Row,
  versions: readonly Row[],
  services: { nameOf(text: string): string },
  notices: Problem[],
): readonly DefinedOperation[] {
  const { IB_OPERATIONNAME: full = '', IB_SERVICENAME = '', DESCR = '', IB_REST_SERVICE, place } = row
  const shown = JSON.stringify(full)
  const leaveOut = (at: string, reason: string) => {
    notices.push({ path: at, message: `is left out: ${reason}` })
    return []
  }
  if (/^(?:0|n|no)$/i.test(IB_REST_SERVICE ?? '')) return leaveOut(place, `${shown} is not a REST operation`)
  const method = methods.find((known) => full.endsWith(`_${known}`))
  const name = method && full.slice(0, -method.length - 1)
  if (!method || !name) return leaveOut(place, `${shown} does not end in a method: ${methods.join(', ')}`)
  if (!/^[A-Z][A-Z0-9_]{0,29}$/.test(name)) return leaveOut(place, `${shown} is not a name of an operation`)
  const active = versions.filter(({ ACTIVE_FLAG = 'A' }) => ACTIVE_FLAG === 'A')
  if (active.length === 0) return leaveOut(place, `${shown} has no active version`)
  return active.flatMap(({ VERSIONNAME: version = '', place }, at) => {
    if (active.findIndex(({ VERSIONNAME }) => VERSIONNAME === version) < at)
      return leaveOut(place, `it repeats ${JSON.stringify(version)} of ${shown}`)
    if (/^v[1-9]\d{0,5}$/.test(version))
      return [
        {
          service: services.nameOf(IB_SERVICENAME),
          name,
          method,
          version,
          ...(DESCR.trim() !== '' && { description: DESCR.trim() }),
        },
      ]
    return leaveOut(place, `${JSON.stringify(version)} of ${shown} is not a version: v1`)
  })
}

/** Passwords are taken where they are unsalted SHA-1 digests (37.6). */
function writeOperators(
  rows: readonly Row[],
  grants: readonly Row[],
  known: ReadonlySet<string>,
  nameOf: (classId: string) => string,
  notices: Problem[],
): string {
  const held = Map.groupBy(grants, ({ OPRID = '' }) => OPRID)
  const cell = (text: string) => `"${guard(text).replaceAll('"', '""')}"`
  let salted = 0
  const lines = rows.map(
    ({ OPRID = '', OPRDEFNDESC = '', EMAILID = '', ACCTLOCK, OPERPSWD = '', OPERPSWDSALT = '' }) => {
      const isSalted = OPERPSWDSALT.trim() !== ''
      if (isSalted) salted += 1
      const lists = (held.get(OPRID) ?? []).flatMap(({ OPRCLASS = '' }) =>
        known.has(OPRCLASS) ? nameOf(OPRCLASS) : [],
      )
      const cells = [OPRID, OPRDEFNDESC.trim(), String(ACCTLOCK === '1'), EMAILID.trim(), lists.join(' ')]
      return [...cells, isSalted ? '' : OPERPSWD.trim(), isSalted ? 'true' : ''].map(cell).join(',')
    },
  )
  if (salted > 0)
    notices.push({
      path: 'PSOPRDEFN.csv',
      message: `has ${salted} salted password${salted === 1 ? ', which is' : 's, which are'} left out: see ig.passwords.upstream and ig.passwords.ldap`,
    })
  return ['id,description,isLocked,emails,permissionLists,passwordSha1Utf16le,firstLogin', ...lines, ''].join('\r\n')
}

function readRows(
  record: RecordName,
  text: string | undefined,
  notices: Problem[],
  problems: Problem[],
): readonly Row[] {
  if (text === undefined) return []
  const file = `${record}.csv`
  const found: Problem[] = []
  const [head, ...records] = parseCsv(text, found)
  problems.push(...found.map(({ path, message }) => ({ path: `${file}, ${path}`, message })))
  const header = head?.cells.map((name) => name.trim()) ?? []
  const wrong = [...checkColumns(record, header)]
  problems.push(...wrong)
  const known: readonly string[] = columns[record]
  const others = header.filter((name) => !known.includes(name))
  if (others.length > 0) notices.push({ path: file, message: `has columns that are not read: ${others.join(', ')}` })
  return wrong.length > 0 ? [] : records.flatMap((row) => toRow(row, header, file, notices))
}

function toRow({ line, cells }: CsvRecord, header: readonly string[], file: string, notices: Problem[]): Row[] {
  const place = `${file}, line ${line}`
  if (cells.length === header.length)
    return [{ ...Object.fromEntries(header.map((name, at) => [name, unguard(cells[at] ?? '')])), place } as Row]
  notices.push({ path: place, message: `is left out: it has ${cells.length} cells, and the header ${header.length}` })
  return []
}

function* checkColumns(record: RecordName, header: readonly string[]): Iterable<Problem> {
  const known: readonly string[] = columns[record]
  const path = `${record}.csv, line 1`
  for (const [at, name] of header.entries()) {
    if (known.includes(name) && header.indexOf(name) < at)
      yield { path, message: `repeats the column ${JSON.stringify(name)}` }
  }
  for (const name of known.slice(0, record === 'PSOPRDEFN' ? 1 : 2))
    if (!header.includes(name)) yield { path, message: `has no column ${name}${suggest(name, header)}` }
}
