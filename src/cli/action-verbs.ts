/** `ig <noun> <verb>`: an action as a command, with what it prints (specification 31.1). */
import { extname } from 'node:path'
import { type Command, Option } from 'commander'
import type { Action } from '../actions/action.ts'
import type { CommandLine } from '../actions/command-line.ts'
import { showLine } from '../base/escape.ts'
import { generatePassword } from '../model/password-policy.ts'
import { addRemoteOptions, RequestRefused } from '../terminal/administration.ts'
import { addAuthorOption } from '../terminal/audited.ts'
import { confirm, isTerminal } from '../terminal/confirm.ts'
import { Failure, WrongValue } from '../terminal/explain-failure.ts'
import { print, printJson, show } from '../terminal/print.ts'
import { collect, projectOption } from '../terminal/project-options.ts'
import { type ActionField, listFields } from './action-fields.ts'
import { awaitEnd } from './await-end.ts'
import { addInputOption, type Body, readBody } from './body-input.ts'
import { addListOptions, isPaging, type ListOptions, listQuery, listsItems, readRows } from './list-rows.ts'
import { addPasswordOptions, asksForPassword, findNewPassword } from './new-password.ts'
import { type ActionInput, checkInput, type Plane, type PlaneOptions, withPlane } from './plane.ts'
import { type Item, type ItemList, openOutput, printAnswer } from './print-answer.ts'
import { writeStream } from './write-stream.ts'

interface Options extends PlaneOptions, ListOptions {
  readonly json?: boolean
  readonly yes?: boolean
  readonly out?: string
  readonly force?: boolean
  readonly [option: string]: unknown
}

type StatedValues = Readonly<Record<string, unknown>>

/** Adds the verbs of a noun, which is the name of the group. */
export function addActionVerbs(group: Command, actions: readonly Action[]): void {
  for (const action of actions) {
    const { commandLine } = action
    const [of, verb] = commandLine?.verb.split(' ') ?? []
    if (commandLine && of === group.name() && verb) addVerb(group, verb, action, actions)
  }
}

function addVerb(group: Command, verb: string, action: Action, actions: readonly Action[]): void {
  const isList = listsItems(action)
  const fields = listFields(action).filter(({ name }) => !(isList && isPaging(name)))
  const { args = [], asks, wait, file, description } = action.commandLine as CommandLine<never, StatedValues>
  const named = args.flatMap((name) => fields.filter((field) => field.name === name))
  const summary = `${action.summary[0]?.toLowerCase()}${action.summary.slice(1)}`
  const command = group
    .command(verb)
    .summary(summary)
    .description([`${action.summary}.`, description ?? action.description].filter(Boolean).join(' '))
    .option(...projectOption)
  if (!action.streams) command.option('--json', 'print the result as JSON')
  for (const { option, isRequired, description } of named)
    command.argument(isRequired ? `<${option}>` : `[${option}]`, description)
  const options = fields.filter(({ name }) => !args.includes(name))
  for (const field of options.filter((each) => !isOfBody(each))) addOption(command, field)
  const others = command.options.length
  for (const field of options.filter(isOfBody)) addOption(command, field)
  const members = {
    args: command.registeredArguments.filter((_, at) => named[at] && isOfBody(named[at])),
    options: command.options.slice(others),
  }
  if (action.body) addInputOption(command, members)
  if (isList) addListOptions(command, action)
  if (asks) command.option('--yes', 'do not ask')
  if (file || action.streams)
    command
      .option('--out <file>', 'write to this file, which must not exist; - is standard output, the default')
      .option('--force', 'replace the file')
  if (wait) command.option('--wait', 'wait until it ends; exit code 1 if it fails')
  if (action.method !== 'GET') addAuthorOption(command)
  if (!action.needsSession) addRemoteOptions(command)
  command.action(async (...given: readonly unknown[]) => {
    const options = given[named.length] as Options
    const taken = named.map(({ key }, index) => [key, given[index]])
    const body = await readBody(command, members)
    await run(
      {
        action,
        actions,
        fields: body ? fields.filter((each) => !isOfBody(each)) : fields,
        body,
        owner: String(given[0]),
      },
      { ...options, ...Object.fromEntries(taken) },
      options,
    )
  })
}

function isOfBody({ place }: ActionField): boolean {
  return place === 'body'
}

function addOption(command: Command, field: ActionField): void {
  const { option, description, value, isFlag, isList, isRequired, fallback, reads, choices } = field
  const flags = isFlag ? `--${option}` : `--${option} <${value}>`
  if (reads === 'newPassword') addPasswordOptions(command, isRequired, field.unless)
  else if (choices) command.addOption(withChoices(new Option(flags, description), field))
  else if (isList) command.option(flags, `${description}, repeatable`, collect)
  else if (isRequired && !isFlag && fallback === undefined) command.requiredOption(flags, description)
  else command.option(flags, description, fallback)
}

function withChoices(option: Option, { choices = [], fallback, isRequired }: ActionField): Option {
  return option
    .choices(choices)
    .default(fallback)
    .makeOptionMandatory(isRequired && fallback === undefined)
}

interface Run {
  readonly action: Action
  /** Those of the noun. */
  readonly actions: readonly Action[]
  readonly fields: readonly ActionField[]
  /** What `--input` gives; `fields` then has none of the body. */
  readonly body: Body | undefined
  /** The first argument: whose password a new one is. */
  readonly owner: string
}

async function run(
  { action, actions, fields, body, owner }: Run,
  values: StatedValues,
  options: Options,
): Promise<void> {
  const commandLine = action.commandLine as CommandLine<Item, StatedValues>
  const read = await readInput(fields, values)
  const stated = { ...read, query: { ...read.query, ...listQuery(action, options) }, ...(body && { body }) }
  for (const name of Object.values(stated.params)) requireName(String(name))
  const takesPassword = fields.some(({ reads, unless = '' }) => reads === 'newPassword' && !values[unless])
  checkInput(action, takesPassword ? withMember(stated, { password: generatePassword() }) : stated)
  const given = { ...stated.params, ...stated.query, ...stated.body }
  const question = options.yes ? undefined : commandLine.asks?.(given)
  const isAsked = question !== undefined || (takesPassword && asksForPassword(options))
  await withPlane(options, async (plane) => {
    const all = isAsked ? (await import('../admin/routes/routes.ts')).routes : actions
    const ifMatch = isAsked || action.needsIfMatch ? await readNamed(plane, action, all, stated) : undefined
    if (isAsked) await requireNew(plane, action, all, owner)
    if (question !== undefined) await requireYes(question)
    if (action.streams) return writeStream(plane.stream(action, stated), options)
    const { password, isGenerated } = await findNewPassword(owner, takesPassword ? options : { password: false })
    const made = isGenerated ? { password } : {}
    const output = openOutput(commandLine, options)
    try {
      const input = { ...(password === undefined ? stated : withMember(stated, { password })), ifMatch }
      const answer = listsItems(action)
        ? await readRows(plane, action, input, options)
        : (await plane.perform(action, input)).body
      const polled = actions.find(({ operationId }) => operationId === commandLine.wait?.polls)
      if (options.wait && commandLine.wait && polled) {
        const { item, says, isFailure } = await awaitEnd(plane, commandLine.wait, polled, given)
        if (options.json) printJson(item)
        if (isFailure) throw new Failure(showLine(says, 5_000))
        return options.json ? undefined : print(showLine(says, 5_000))
      }
      const isNarrowed = (options.filter ?? []).length > 0 || Object.keys(read.query).length > 0
      printAnswer(answer as Item | undefined, { commandLine, given, made, isNarrowed, options, output })
    } catch (error) {
      const isRefused = error instanceof RequestRefused && error.code !== 'storeAway'
      if (made.password !== undefined && !isRefused)
        options.json ? printJson(made) : print(`Password, shown this once, if the change was made: ${made.password}`)
      throw error
    } finally {
      output?.close()
    }
  })
}

function withMember(input: ActionInput, member: StatedValues): ActionInput {
  return { ...input, body: { ...input.body, ...member } }
}

/** In a URL these would mean another place, and half of a surrogate pair cannot be written. */
function requireName(name: string): void {
  if (/^\.{1,2}$/.test(name) || !name.isWellFormed())
    throw new WrongValue(`nothing is called ${show(JSON.stringify(name))}.`)
}

async function readInput(fields: readonly ActionField[], values: StatedValues): Promise<ActionInput> {
  const textsOf = (field: ActionField) => values[field.key] ?? readExtension(field, values)
  const read = async (field: ActionField): Promise<unknown> => {
    const value = textsOf(field)
    if (field.isFlag) return field.place === 'body' ? value : String(value)
    return field.read([value].flat().map(String))
  }
  const of = async (place: ActionField['place']) => {
    const stated = fields.filter(
      (field) => field.place === place && field.reads !== 'newPassword' && textsOf(field) !== undefined,
    )
    return Object.fromEntries(await Promise.all(stated.map(async (field) => [field.name, await read(field)])))
  }
  const hasBody = fields.some(({ place }) => place === 'body')
  return { params: await of('params'), query: await of('query'), body: hasBody ? await of('body') : undefined }
}

/** @throws Failure if it is needed and the name of the file does not say it */
function readExtension({ extensionOf, choices = [], isNeeded, option }: ActionField, values: StatedValues) {
  if (extensionOf === undefined) return undefined
  const name = String(values[extensionOf] ?? '')
  const extension = extname(name).toLowerCase().slice(1)
  if (choices.includes(extension)) return extension
  if (!isNeeded) return undefined
  const [endings, options] = [choices.map((choice) => `.${choice}`), choices.map((choice) => `--${option} ${choice}`)]
  throw new Failure(`${show(name)} does not end in ${endings.join(' or ')}. Add ${options.join(' or ')}.`)
}

/**
 * Reads the object that the action changes: `/api/operators/:id` for `/api/operators/:id/lock`, or an item of `/api/tokens`
 * for `/api/tokens/:id`. @returns its ETag @throws Failure if it is not there
 */
async function readNamed(plane: Plane, { path }: Action, actions: readonly Action[], { params }: ActionInput) {
  const reads = actions.filter((each) => each.method === 'GET' && each.params && `${path}/`.startsWith(`${each.path}/`))
  const [read] = reads.toSorted((one, other) => other.path.length - one.path.length)
  if (read) return (await plane.perform(read, { ...noInput, params })).etag
  const [, collection, key = ''] = /^(.*)\/:(\w+)$/.exec(path) ?? []
  const list = actions.find((each) => listsItems(each) && each.path === collection)
  if (!list) return undefined
  const name = String(params[key])
  const { items } = (await readRows(plane, list, noInput, { filter: [[key, name]] })) as ItemList
  if (items.length === 0)
    throw new Failure(`there is no ${show(JSON.stringify(name))}: ig ${list.commandLine?.verb} has all.`)
  return undefined
}

/** What the action adds must not be there: `/api/operators/:id` for `/api/operators`. @throws Failure */
async function requireNew(plane: Plane, { path, commandLine }: Action, actions: readonly Action[], name: string) {
  const [param = ''] = commandLine?.args ?? []
  const read = actions.find((each) => each.method === 'GET' && each.path === `${path}/:${param}`)
  const found = read && plane.perform(read, { ...noInput, params: { [param]: name } })
  const isThere = await found?.catch((error) => {
    if (!(error instanceof RequestRefused) || error.code !== 'notFound') throw error
  })
  if (isThere) throw new Failure(`${show(name)} already exists.`)
}

const noInput = { params: {}, query: {}, body: undefined }

async function requireYes(question: string): Promise<void> {
  if (!isTerminal()) throw new Failure(`${show(question)} No one can be asked here: add --yes.`)
  const [isYes] = await confirm([show(question)])
  if (!isYes) throw new Failure('nothing was changed.')
}
