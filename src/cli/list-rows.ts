/** Lists: `--filter`, `--sort` and `--limit`, and the rows of all pages (specification 31.1). */
import { type Command, InvalidArgumentError } from 'commander'
import { z } from 'zod'
import type { Action } from '../actions/action.ts'
import type { CommandLine } from '../actions/command-line.ts'
import { sortItems } from '../actions/sort-items.ts'
import { suggest } from '../base/nearest.ts'
import { show, warn } from '../terminal/print.ts'
import { listFields } from './action-fields.ts'
import type { ActionInput, Plane } from './plane.ts'
import { type Item, textOf } from './print-answer.ts'

type Filter = readonly [name: string, value: string]

export interface ListOptions {
  readonly filter?: readonly Filter[]
  readonly sort?: string
  readonly limit?: number
}

/** What the request itself has of a list. */
const paging: ReadonlySet<string> = new Set(['offset', 'limit', 'sort'])

export function listsItems({ method, answer }: Action): boolean {
  return method === 'GET' && answer instanceof z.ZodObject && 'items' in answer.shape
}

/** Not an option of its own: `ig` reads the pages. */
export function isPaging(name: string): boolean {
  return paging.has(name)
}

export function addListOptions(command: Command, action: Action): void {
  const members = listMembers(action)
  const known = listParameters(action)
  command
    .option(
      '--filter <name=value>',
      'only rows whose member has this value, repeatable',
      (text, earlier: readonly Filter[] = []) => [...earlier, readFilter(text, earlier, { known, members })],
    )
    .option('--sort <name>', 'by this member of the rows; - before it: descending', (text) => {
      requireMember(text.replace(/^-/, '').split('.', 1)[0] ?? '', members)
      return text
    })
    .option('--limit <n>', 'at most so many rows', readLimit)
}

interface Page {
  readonly items: readonly Item[]
  readonly total?: number
  readonly isMore?: boolean
}

/** What the request has of these options. */
export function listQuery(action: Action, { filter = [], sort }: ListOptions): ActionInput['query'] {
  const sent = listParameters(action)
  const sortsThere = sort !== undefined && listFields(action).some(({ name }) => name === 'sort')
  return { ...Object.fromEntries(filter.filter(([name]) => sent.includes(name))), ...(sortsThere && { sort }) }
}

/** Every page, until there is one row more than asked for: `isMore` says that rows are left out. */
export async function readRows(
  plane: Plane,
  action: Action,
  input: ActionInput,
  { filter = [], sort, limit = maxRows }: ListOptions,
): Promise<unknown> {
  const known = listFields(action).map(({ name }) => name)
  const sent = listParameters(action)
  const tests = filter.filter(([name]) => !sent.includes(name))
  const isPaged = known.includes('offset')
  const isSorted = sort === undefined || input.query.sort !== undefined
  const enough = isSorted ? limit : maxRows
  const length = tests.length > 0 ? pageLength : Math.min(pageLength, enough + 1)
  const { next } = action.commandLine as CommandLine<{ readonly items: readonly Item[] }, Item>
  const items: Item[] = []
  let page: Page
  let offset = 0
  let following: Item | undefined = {}
  do {
    const paged = known.includes('limit') ? { ...(isPaged && { offset }), limit: length } : {}
    page = (await plane.perform(action, { ...input, query: { ...input.query, ...paged, ...following } })).body as Page
    items.push(...page.items.filter((item) => tests.every((test) => isMet(item, test))))
    offset += page.items.length
    const last = page.items.at(-1)
    if (!isPaged) following = page.items.length < length ? undefined : last && next?.(last as never, input.query)
    else if (!last || offset >= (page.total ?? 0)) following = undefined
  } while (following && offset < maxRows && items.length <= enough)
  if (following && offset >= maxRows) warn(`only the first ${maxRows} of ${page.total ?? 'more'} rows were read`)
  const ordered = isSorted ? items : sortItems(items, sort)
  const isMore = following !== undefined || items.length > limit
  const found = tests.length > 0 ? items.length : page.total
  const total = following && (tests.length > 0 || page.isMore) ? undefined : found
  return {
    ...page,
    ...(isPaged && { offset: 0, limit, total }),
    ...(isMore && { isMore }),
    items: ordered.slice(0, limit),
  }
}

const maxRows = 10_000
const pageLength = 500

function readLimit(text: string): number {
  const limit = Number(text)
  if (Number.isInteger(limit) && limit > 0 && limit <= maxRows) return limit
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${maxRows}.`)
}

interface FilterNames {
  /** Those that the gateway knows go with the request. */
  readonly known: readonly string[]
  /** The others are tests of the rows. */
  readonly members: readonly string[]
}

function readFilter(text: string, earlier: readonly Filter[], { known, members }: FilterNames): Filter {
  const at = text.indexOf('=')
  if (at <= 0) throw new InvalidArgumentError('It must be <name>=<value>.')
  const [name, value] = [text.slice(0, at), text.slice(at + 1)]
  if (!known.includes(name)) requireMember(name, members)
  else if (earlier.some(([other]) => other === name)) throw new InvalidArgumentError(`Give ${show(name)} once.`)
  return [name, value]
}

/** Names of the query that `--filter` takes, too. */
function listParameters(action: Action): readonly string[] {
  return listFields(action).flatMap(({ name }) => (paging.has(name) ? [] : [name]))
}

/** A member that is a list has one of these values. */
function isMet(item: Item, [name, value]: Filter): boolean {
  return [item[name]].flat().some((each) => textOf(each) === value)
}

/** The members come from the schema, because a list may be empty. */
function listMembers({ answer }: Action): readonly string[] {
  const { items } = (answer as z.ZodObject).shape
  const element = items instanceof z.ZodArray && items.element
  return element instanceof z.ZodObject ? Object.keys(element.shape) : []
}

function requireMember(name: string, members: readonly string[]): void {
  if (members.length === 0 || members.includes(name)) return
  const near = suggest(name, members) || `. They have ${members.join(', ')}.`
  throw new InvalidArgumentError(
    name === '' ? `Name a member of the rows: ${members.join(', ')}.` : `No row has ${show(name)}${near}`,
  )
}
