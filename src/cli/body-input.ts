/** `--input`: the body of an action as JSON, instead of the arguments and options that are its members (specification 31.11). */
import { createReadStream } from 'node:fs'
import type { Argument, Command, Option } from 'commander'
import { bodyLimit } from '../admin/hold-request.ts'
import { findExcess } from '../admin/read-json-bodies.ts'
import { show } from '../terminal/print.ts'
import { terminal } from '../terminal/terminal.ts'

export type Body = Readonly<Record<string, unknown>>

/** The arguments and options that are members of the body. */
interface BodyMembers {
  readonly args: readonly Argument[]
  readonly options: readonly Option[]
}

export function addInputOption(command: Command, { args, options }: BodyMembers): void {
  command.option(
    '--input <file>',
    'a JSON object with the values of arguments and options, instead of these; - is standard input',
  )
  command.on('option:input', () => {
    for (const argument of args) argument.required = false
    for (const option of options) option.mandatory = false
  })
}

/** @throws CommanderError, so that the exit code is that of a wrong command */
export async function readBody(command: Command, members: BodyMembers): Promise<Body | undefined> {
  const { input: file } = command.opts<{ readonly input?: string }>()
  if (file === undefined) return undefined
  const from = file === '-' ? 'standard input' : show(file || '--input')
  const refuse: (why: string) => never = (why) => command.error(`error: ${why}`, { exitCode: 2 })
  const stated = listStated(command, members)
  if (stated.length > 0) refuse(`--input has the whole body: leave out ${stated.join(', ')}.`)
  const bytes = await readBytes(file).catch(({ code }: NodeJS.ErrnoException) =>
    refuse(`${from} cannot be read: ${code}`),
  )
  if (bytes.length > bodyLimit) refuse(`${from} has more than ${bodyLimit} bytes.`)
  const value = readJson(bytes)
  if (value === undefined) refuse(`${from} is not JSON in UTF-8.`)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse(`${from} is not a JSON object.`)
  const excess = findExcess(value)
  if (excess !== undefined) refuse(`${from} has more than ${excess}.`)
  return value as Body
}

function listStated(command: Command, { args, options }: BodyMembers): readonly string[] {
  const { processedArgs, registeredArguments } = command
  const statedArgs = args.filter((argument) => processedArgs[registeredArguments.indexOf(argument)] !== undefined)
  const statedOptions = options.filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli')
  return [...statedArgs.map((argument) => `<${argument.name()}>`), ...statedOptions.map(({ flags }) => flags)]
}

/** At most a little more than a body may have. */
async function readBytes(file: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of file === '-' ? terminal().stdin : createReadStream(file)) {
    chunks.push(chunk)
    size += chunk.length
    if (size > bodyLimit) break
  }
  return Buffer.concat(chunks)
}

/** The message of a parser has parts of the text, which may be a password. */
function readJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}
