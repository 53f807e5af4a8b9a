/** Reads the settings of handlers from the environment, or from files that it names (specification 5.43, 5.44). */
import type { FindVariable } from '../configuration/environment-values.ts'
import { declaredSettings, Setting } from '../model/handler-setting.ts'
import { addKnownSecret } from '../model/known-secrets.ts'
import type { Problem } from '../model/problem.ts'
import { type Environment, findSecret } from './secret-files.ts'

export interface HandlerSettings {
  /** @throws Error if it is absent or malformed */
  value<Value>(setting: Setting<Value>): Value
  /** All declared settings; two modules may declare the same one. */
  problems(): readonly Problem[]
  /** Finds a variable that the configuration names (specification 31.4). */
  readonly find: FindVariable
  /** All declared settings, without values. */
  list(): readonly ListedSetting[]
}

export interface ListedSetting {
  readonly variable: string
  readonly isSecret: boolean
  readonly isSet: boolean
  /** `HR_URL`, `HR_URL_FILE`, `default`; undefined if it is absent. */
  readonly source: string | undefined
}

interface SettingValue {
  readonly value?: unknown
  readonly source?: string
  /** Follows the variable's name. */
  readonly problem?: string
}

/** Private fields are neither printed nor serialized to JSON. */
class ReadHandlerSettings implements HandlerSettings {
  readonly #environment: Environment
  readonly #known = new Map<Setting, SettingValue>()

  constructor(environment: Environment) {
    this.#environment = environment
  }

  value<Value>(setting: Setting<Value>): Value {
    if (!(setting instanceof Setting)) throw new TypeError('context.setting takes a setting that defineSettings made')
    const { value, problem } = this.#read(setting)
    if (problem !== undefined) throw new Error(`The setting ${setting.variable} ${problem}`)
    return value as Value
  }

  problems(): readonly Problem[] {
    const problems = declaredSettings().flatMap((setting) => {
      const { problem } = this.#read(setting)
      return problem === undefined ? [] : [{ path: setting.variable, message: problem }]
    })
    return [...new Map(problems.map((problem) => [`${problem.path} ${problem.message}`, problem])).values()]
  }

  readonly find: FindVariable = (variable) => {
    const { text, problem } = { text: undefined, problem: undefined, ...findText(variable, this.#environment) }
    if (text !== undefined) return { text }
    return { problem: problem ?? `is not set. Set ${variable}, or ${variable}_FILE to a file that has it` }
  }

  list(): readonly ListedSetting[] {
    const listed = declaredSettings().map((setting) => {
      const { variable, isSecret } = setting
      const { source } = this.#read(setting)
      return [variable, { variable, isSecret, isSet: source !== undefined, source }] as const
    })
    return [...new Map(listed).values()]
  }

  #read(setting: Setting): SettingValue {
    const known = this.#known.get(setting)
    if (known) return known
    const read = readSetting(setting, this.#environment)
    this.#known.set(setting, read)
    return read
  }
}

export function openHandlerSettings(environment: Environment): HandlerSettings {
  return new ReadHandlerSettings(environment)
}

function readSetting(
  { variable, isSecret, isRequired, default: fallback, parse }: Setting,
  environment: Environment,
): SettingValue {
  const found = findText(variable, environment)
  if ('problem' in found) return found
  const { text = fallback, source = fallback === undefined ? undefined : 'default' } = found
  if (text === undefined) {
    if (!isRequired) return {}
    return { problem: `is not set: a handler needs it. Set ${variable}, or ${variable}_FILE to a file that has it` }
  }
  if (isSecret) addKnownSecret(text)
  try {
    return { value: parse(text), source: source as string }
  } catch (error) {
    // The reason may quote the text
    const reason = isSecret ? '' : `: ${error instanceof Error ? error.message : String(error)}`
    const place = source === variable ? '' : ` (${source})`
    return { source: source as string, problem: `is malformed${place}${reason}` }
  }
}

type VariableLookup = { readonly text?: string; readonly source?: string } | { readonly problem: string }

/** An empty variable is not set. */
function findText(variable: string, environment: Environment): VariableLookup {
  const text = environment[variable]
  if (text) return { text, source: variable }
  try {
    const found = findSecret([variable], environment)
    return found ? { text: found.value, source: found.source } : {}
  } catch (error) {
    return { problem: (error as Error).message }
  }
}
