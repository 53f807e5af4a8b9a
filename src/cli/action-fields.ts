/** The input of an action as arguments and options of the command line, from its schemas. */
import { z } from 'zod'
import type { Action } from '../actions/action.ts'
import type { InputReader, TerminalInput } from '../actions/command-line.ts'
import { WrongValue } from '../terminal/explain-failure.ts'
import { inputReaders } from './input-readers.ts'

type Place = 'params' | 'query' | 'body'

interface FieldSchema {
  readonly type?: string
  readonly items?: FieldSchema
  readonly enum?: readonly string[]
  readonly description?: string
}

export interface ActionField {
  readonly name: string
  readonly place: Place
  /** `--dry-run`, without its dashes */
  readonly option: string
  /** The member of the options of commander. */
  readonly key: string
  /** The placeholder of the value in the help. */
  readonly value: string
  readonly description: string
  readonly isFlag: boolean
  readonly isList: boolean
  readonly isRequired: boolean
  /** The action needs it. */
  readonly isNeeded: boolean
  /** Its values, if it takes no others. */
  readonly choices: readonly string[] | undefined
  readonly reads: InputReader | undefined
  readonly fallback: string | undefined
  readonly unless: string | undefined
  readonly extensionOf: string | undefined
  /** @param texts one, if it is no list @throws Failure */
  read(texts: readonly string[]): unknown
}

export function listFields(action: Action): readonly ActionField[] {
  return (['params', 'query', 'body'] as const).flatMap((place) => {
    const schema = action[place]
    if (!schema) return []
    const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as {
      readonly properties?: Readonly<Record<string, FieldSchema>>
      readonly required?: readonly string[]
    }
    const inputs = (action.commandLine?.inputs ?? {}) as Readonly<Record<string, TerminalInput>>
    return Object.entries(properties).map(([name, each]) =>
      toField(name, place, each, required.includes(name), inputs[name]),
    )
  })
}

function toField(
  name: string,
  place: Place,
  schema: FieldSchema,
  isRequired: boolean,
  input: TerminalInput = {},
): ActionField {
  const { option = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`), reads } = input
  const isList = schema.type === 'array' && reads !== 'lines'
  const { enum: values } = schema
  const isFlag = schema.type === 'boolean' || values?.join() === 'true,false'
  const { description = beginSmall(schema.description ?? '') } = input
  const mayBePiped = reads === 'file' || reads === 'lines' || reads === 'secret'
  const isText = place !== 'body' // texts of parameters are read by their schemas
  const readOne = (text: string) => (isText ? text : readJson((isList && schema.items) || schema, text, option))
  return {
    name,
    place,
    option,
    key: option.replace(/-[a-z]/g, ([, letter = '']) => letter.toUpperCase()),
    value: input.value ?? 'value',
    description: mayBePiped ? `${description}; - is standard input` : description,
    isFlag,
    isList,
    isRequired: (isRequired && input.extensionOf === undefined) || place === 'params',
    isNeeded: isRequired,
    choices: isFlag ? undefined : values,
    reads,
    fallback: input.fallback,
    unless: input.unless,
    extensionOf: input.extensionOf,
    read(texts) {
      const given = isList ? texts.filter((text) => text !== '') : texts // --email '': no address
      if (reads !== undefined && reads !== 'newPassword') return inputReaders[reads](given)
      return isList ? given.map(readOne) : readOne(given[0] ?? '')
    },
  }
}

/** `Part of the subject` → `part of the subject`, but not `UTC`. */
function beginSmall(text: string): string {
  return text.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase())
}

/** JSON has types. */
function readJson({ type }: FieldSchema, text: string, option: string): unknown {
  if (type === 'integer' || type === 'number') return Number(text)
  if (type !== 'object') return text
  try {
    return JSON.parse(text)
  } catch {
    throw new WrongValue(`--${option} must be JSON.`)
  }
}
