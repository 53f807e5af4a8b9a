/** `ig <noun> <verb>`: an action as a command, with what it prints (specification 31.1). */
import { extname } from 'node:path'
import type { Command } from 'commander'
import { z } from 'zod'
import type { Action } from '../actions/action.ts'
import type { CommandLine } from '../actions/command-line.ts'
import { sortItems } from '../actions/sort-items.ts'
import { showLine } from '../base/escape.ts'
import { suggest } from '../base/nearest.ts'
import { addRemoteOptions, RequestRefused } from '../terminal/administration.ts'
import { addAuthorOption } from '../terminal/audited.ts'
import { confirm, isTerminal } from '../terminal/confirm.ts'
import { Failure } from '../terminal/explain-failure.ts'
import { print, printJson, show } from '../terminal/print.ts'
import { collect, projectOption } from '../terminal/project-options.ts'
import { readStdin } from '../terminal/read-password.ts'
import { type ActionField, listFields } from './action-fields.ts'
import { awaitEnd } from './await-end.ts'
import { LostChange } from './lost-connection.ts'
import { addPasswordOptions, findNewPassword } from './new-password.ts'
import { type ActionInput, openPlane, type Plane, type PlaneOptions } from './plane.ts'
import { type Item, printAnswer, textOf } from './print-answer.ts'

interface Options extends PlaneOptions {
  readonly json?: boolean
  readonly yes?: boolean
  readonly out?: string
  readonly force?: boolean
  readonly filter?: readonly string[]
  readonly sort?: string
  readonly limit?: string
  readonly [option: string]: unknown
}

type StatedValues = Readonly<Record<string, unknown>>

/** What the request itself has of a list. */
const paging: ReadonlySet<string> = new Set(['offset', 'limit', 'sort'])

/** Adds the verbs of a noun, which is the name of the group. */
export function addActionVerbs(group: Command, actions: readonly Action[]): void {
  for (const action of actions) {
    const { commandLine } = action
    const [of, verb] = commandLine?.verb.split(' ') ?? []
    if (commandLine && of === group.name() && verb) addVerb(group, verb, action, actions)
  }
}

function addVerb(group: Command, verb: string, action: Action, actions: readonly Action[]): void {
  const fields = listFields(action)
  const { args = [], asks, wait, file, needsSession } = action.commandLine as CommandLine<never, StatedValues>
  const named = args.flatMap((name) => fields.filter((field) => field.name === name))
  const usage = [verb, ...named.map(({ option, isRequired }) => (isRequired ? `<${option}>` : `[${option}]`))]
  const summary = `${action.summary[0]?.toLowerCase()}${action.summary.slice(1)}`
  const command = group
    .command(usage.join(' '))
    .summary(summary)
    .description([`${action.summary}.`, action.description].filter(Boolean).join(' '))
    .option(...projectOption)
    .option('--json', 'print the result as JSON')
  const isList = listsItems(action)
  const options = fields.filter(({ name }) => !args.includes(name) && !(isList && paging.has(name)))
  for (const field of options) addOption(command, field)
  if (isList)
    command
      .option('--filter <name=value>', 'only rows whose member has this value, repeatable', collect)
      .option('--sort <name>', 'by this member of the rows; - before it: descending')
      .option('--limit <n>', 'at most so many rows')
  if (asks) command.option('--yes', 'do not ask')
  if (file)
    command
      .option('--out <file>', 'write to this file, which must not exist, instead of standard output')
      .option('--force', 'replace the file')
  if (wait) command.option('--wait', 'wait until it ends; exit code 1 if it fails')
  if (action.method !== 'GET') addAuthorOption(command)
  if (!needsSession) addRemoteOptions(command)
  command.action(async (...given: readonly unknown[]) => {
    const options = given[named.length] as Options
    const taken = await Promise.all(
      named.map(async (field, index) => [field.key, await readArgument(given[index], field)] as const),
    )
    const values = { ...options, ...Object.fromEntries(taken) }
    const { password, isGenerated } = await findPassword(fields, values, String(taken[0]?.[1] ?? ''))
    const made = isGenerated ? { password } : {}
    await run({ action, actions, fields, made }, { ...values, password }, options)
  })
}

/** `-`: a secret is no argument, which other users of the machine can see. */
async function readArgument(given: unknown, { option, reads }: ActionField): Promise<unknown> {
  return given === '-' && reads === undefined ? (await readStdin(option)).trim() : given
}

function addOption(command: Command, field: ActionField): void {
  const { option, description, value, isFlag, isList, isRequired, fallback, reads } = field
  const flags = isFlag ? `--${option}` : `--${option} <${value}>`
  if (reads === 'newPassword') addPasswordOptions(command, isRequired)
  else if (isList) command.option(flags, `${description}, repeatable`.replace(/^, /, ''), collect)
  else if (isRequired && !isFlag && fallback === undefined) command.requiredOption(flags, description)
  else command.option(flags, description, fallback)
}

async function findPassword(fields: readonly ActionField[], values: StatedValues, owner: string) {
  const field = fields.find(({ reads }) => reads === 'newPassword')
  if (!field || (field.unless !== undefined && values[field.unless])) return { isGenerated: false }
  return findNewPassword(owner, values)
}

interface Run {
  readonly action: Action
  /** Those of the noun. */
  readonly actions: readonly Action[]
  readonly fields: readonly ActionField[]
  /** What `ig` made, to be shown once. */
  readonly made: { readonly password?: string | undefined }
}

async function run({ action, actions, fields, made }: Run, values: StatedValues, options: Options): Promise<void> {
  const commandLine = action.commandLine as CommandLine<Item, StatedValues>
  const read = await readInput(fields, values)
  for (const name of Object.values(read.params)) requireName(String(name))
  const given = { ...read.params, ...read.query, ...read.body }
  if (commandLine.asks && !options.yes) await requireYes(commandLine.asks(given))
  const plane = await openPlane(options)
  try {
    const input = action.needsIfMatch ? { ...read, ifMatch: await readVersion(plane, action, actions, read) } : read
    const answer = await (listsItems(action) ? list(plane, action, input, options) : perform(plane, action, input))
    const polled = actions.find(({ operationId }) => operationId === commandLine.wait?.polls)
    if (options.wait && commandLine.wait && polled) {
      const { item, says, isFailure } = await awaitEnd(plane, commandLine.wait, polled, given)
      if (options.json) printJson(item)
      if (isFailure) throw new Failure(showLine(says, 5_000))
      return options.json ? undefined : print(showLine(says, 5_000))
    }
    const isNarrowed = (options.filter ?? []).length > 0 || Object.keys(read.query).length > 0
    printAnswer(answer as Item | undefined, { commandLine, given, made, isNarrowed, options })
  } catch (error) {
    if (options.json && error instanceof RequestRefused && error.problems.length > 0)
      printJson({ problems: error.problems })
    if (made.password !== undefined && error instanceof LostChange)
      print(`Password, shown this once, if the change was made: ${made.password}`)
    throw error
  } finally {
    await plane.close()
  }
}

function listsItems({ method, answer }: Action): boolean {
  return method === 'GET' && answer instanceof z.ZodObject && 'items' in answer.shape
}

/** In a URL these would mean another place, and half of a surrogate pair cannot be written. */
function requireName(name: string): void {
  if (/^\.{1,2}$/.test(name) || !name.isWellFormed())
    throw new Failure(`nothing is called ${show(JSON.stringify(name))}.`)
}

async function readInput(fields: readonly ActionField[], values: StatedValues): Promise<ActionInput> {
  const textsOf = ({ key, extensionOf = '' }: ActionField) =>
    values[key] ??
    (extname(String(values[extensionOf] ?? ''))
      .toLowerCase()
      .slice(1) ||
      undefined)
  const read = async (field: ActionField): Promise<unknown> => {
    const value = textsOf(field)
    if (field.reads === 'newPassword') return value
    if (field.isFlag) return field.place === 'body' ? value : String(value)
    return field.read([value].flat().map(String))
  }
  const of = async (place: ActionField['place']) => {
    const stated = fields.filter((field) => field.place === place && textsOf(field) !== undefined)
    return Object.fromEntries(await Promise.all(stated.map(async (field) => [field.name, await read(field)])))
  }
  const hasBody = fields.some(({ place }) => place === 'body')
  return { params: await of('params'), query: await of('query'), body: hasBody ? await of('body') : undefined }
}

/** The ETag of what changes, from the GET of the same path. */
async function readVersion(plane: Plane, { path }: Action, actions: readonly Action[], { params }: ActionInput) {
  const read = actions.find((each) => each.method === 'GET' && each.path === path)
  return read && (await plane.perform(read, { params, query: {}, body: undefined })).etag
}

async function perform(plane: Plane, action: Action, input: ActionInput): Promise<unknown> {
  return (await plane.perform(action, input)).body
}

interface Page {
  readonly items: readonly Item[]
  readonly total?: number
}

/** Every page, until there are as many rows as asked for. */
async function list(plane: Plane, action: Action, input: ActionInput, options: Options): Promise<unknown> {
  const limit = readLimit(options.limit)
  const known = listFields(action).map(({ name }) => name)
  const { query, tests } = readFilters(options.filter ?? [], known)
  const [sortedBy] = options.sort?.replace(/^-/, '').split('.') ?? []
  for (const name of [...tests.map(([tested]) => tested), sortedBy]) requireMember(name, action)
  const isPaged = known.includes('offset')
  const sortsThere = options.sort !== undefined && known.includes('sort')
  const enough = options.sort !== undefined && !sortsThere ? maxRows : limit
  const length = tests.length > 0 ? pageLength : Math.min(pageLength, enough)
  const { next } = action.commandLine as CommandLine<{ readonly items: readonly Item[] }, StatedValues>
  const asked = { ...input.query, ...query, ...(sortsThere && { sort: options.sort }) }
  const items: Item[] = []
  let page: Page
  let offset = 0
  let following: StatedValues | undefined = {}
  do {
    const paged = known.includes('limit') ? { ...(isPaged && { offset }), limit: length } : {}
    page = (await perform(plane, action, { ...input, query: { ...asked, ...paged, ...following } })) as Page
    items.push(...page.items.filter((item) => tests.every((test) => isMet(item, test))))
    offset += page.items.length
    const last = page.items.at(-1)
    if (!isPaged) following = page.items.length < length ? undefined : last && next?.(last as never, asked)
    else if (!last || offset >= (page.total ?? 0)) following = undefined
  } while (following && offset < maxRows && items.length < enough)
  const ordered = options.sort !== undefined && !sortsThere ? sortItems(items, options.sort) : items
  const total = tests.length > 0 && page.total !== undefined ? { total: items.length } : {}
  return { ...page, ...(isPaged && { offset: 0, limit }), ...total, items: ordered.slice(0, limit) }
}

const maxRows = 10_000
const pageLength = 500

function readLimit(text: string | undefined): number {
  if (text === undefined) return maxRows
  const limit = Number(text)
  if (Number.isInteger(limit) && limit > 0 && limit <= maxRows) return limit
  throw new Failure(`--limit must be a whole number from 1 to ${maxRows}, not ${show(JSON.stringify(text))}.`)
}

/** Those that the gateway knows go with the request; the others are tests of the rows. */
function readFilters(filters: readonly string[], known: readonly string[]) {
  const pairs = filters.map((text): [string, string] => {
    const at = text.indexOf('=')
    if (at > 0) return [text.slice(0, at), text.slice(at + 1)]
    throw new Failure(`--filter takes name=value, not ${show(JSON.stringify(text))}.`)
  })
  const isKnown = ([name]: readonly [string, string]) => known.includes(name) && !paging.has(name)
  const sent = pairs.filter(isKnown)
  const repeated = sent.find(([name], at) => sent.findIndex(([other]) => other === name) < at)
  if (repeated) throw new Failure(`--filter takes ${show(repeated[0])} once.`)
  return { query: Object.fromEntries(sent), tests: pairs.filter((pair) => !isKnown(pair)) }
}

/** A member that is a list has one of these values. */
function isMet(item: Item, [name, value]: readonly [string, string]): boolean {
  return [item[name]].flat().some((each) => textOf(each) === value)
}

/** Also of a list that is empty: the rows are as their schema. */
function requireMember(name: string | undefined, { answer }: Action): void {
  const { items } = (answer as z.ZodObject).shape
  const element = items instanceof z.ZodArray && items.element
  const members = element instanceof z.ZodObject ? Object.keys(element.shape) : []
  if (name === undefined || members.length === 0 || members.includes(name)) return
  throw new Failure(`no row has ${show(name)}${suggest(name, members) || `. They have ${members.join(', ')}.`}`)
}

async function requireYes(question: string): Promise<void> {
  if (!isTerminal()) throw new Failure(`${show(question)} No one can be asked here: add --yes.`)
  const [isYes] = await confirm([show(question)])
  if (!isYes) throw new Failure('nothing was changed.')
}
