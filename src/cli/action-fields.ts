/** The input of an action as arguments and options of the command line, from its schemas. */
import { z } from 'zod'
import type { Action } from '../actions/action.ts'
import { Failure } from '../terminal/explain-failure.ts'

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
  readonly description: string
  readonly isFlag: boolean
  readonly isList: boolean
  readonly isRequired: boolean
  /** @throws Failure */
  read(text: string): unknown
}

export function listFields(action: Action): readonly ActionField[] {
  return (['params', 'query', 'body'] as const).flatMap((place) => {
    const schema = action[place]
    if (!schema) return []
    const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as {
      readonly properties?: Readonly<Record<string, FieldSchema>>
      readonly required?: readonly string[]
    }
    return Object.entries(properties).map(([name, each]) => toField(name, place, each, required.includes(name)))
  })
}

function toField(name: string, place: Place, schema: FieldSchema, isRequired: boolean): ActionField {
  const option = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const isList = schema.type === 'array'
  const item = isList ? (schema.items ?? {}) : schema
  const { description = '', enum: values } = schema
  return {
    name,
    place,
    option,
    description: [description, values?.join(', ')].filter(Boolean).join(': '),
    isFlag: schema.type === 'boolean',
    isList,
    isRequired: isRequired || place === 'params',
    read: (text) => (place === 'body' ? readJson(item, text, option) : text),
  }
}

/** Texts of parameters are read by their schemas; JSON has types. */
function readJson({ type }: FieldSchema, text: string, option: string): unknown {
  if (type === 'integer' || type === 'number') return Number(text)
  if (type !== 'object') return text
  try {
    return JSON.parse(text)
  } catch {
    throw new Failure(`--${option} must be JSON.`)
  }
}
