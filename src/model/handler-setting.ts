/** Settings of handlers: environment variables that a project declares (specification 5.43, 5.44). The SDK exports it. */

/** A setting as `defineSettings` takes it. */
export interface SettingDefinition<Value = unknown> {
  /**
   * The environment variable: capitals, digits and underscores, such as `HR_LEGACY_URL`. Names that begin with `IG_`,
   * `PG`, `NODE_` or `OTEL_` belong to others and are refused. If the variable itself is not set, `<variable>_FILE` may
   * name a file that has the value.
   */
  readonly variable: string
  /** Its text never appears in logs, errors and messages. Default: true. */
  readonly isSecret?: boolean
  /** The text if the variable is not set or empty. */
  readonly default?: string
  /** If false, the value is undefined if it is not set. Default: true: a start without it fails. */
  readonly isRequired?: boolean
  /** The value of a text; an error that it throws makes the text malformed. Default: the text itself. */
  readonly parse?: (text: string) => Value
}

/** Made by `defineSettings`, read by `context.setting`. */
export class Setting<Value = unknown> {
  /** The environment variable. */
  readonly variable: string
  /** Whether its text is masked. */
  readonly isSecret: boolean
  /** Whether a start without it fails. */
  readonly isRequired: boolean
  /** The text if the variable is not set or empty. */
  readonly default: string | undefined
  /** Makes the value of the text. */
  readonly parse: (text: string) => Value

  constructor({ variable, isSecret = true, isRequired = true, default: fallback, parse }: SettingDefinition<Value>) {
    this.variable = requireVariable(variable)
    this.isSecret = isSecret
    this.isRequired = isRequired
    this.default = fallback
    this.parse = parse ?? ((text) => text as Value)
    Object.freeze(this)
  }
}

/** What `context.setting` returns: the result of `parse`, else text; undefined too, if the setting may be missing. */
export type SettingValue<Definition> =
  | (Definition extends { readonly parse: (text: string) => infer Value } ? Value : string)
  | (Definition extends { readonly isRequired: false } ? OrUndefined<Definition> : never)

type OrUndefined<Definition> = Definition extends { readonly default: string } ? never : undefined

/** The settings of all modules that this process has loaded. */
const declared = new Set<Setting>()

/**
 * Declares settings: environment variables that handlers read with `context.setting`. A start and `ig check` report
 * each one that is absent or malformed; `ig settings` and the console list them, never with a value.
 * @throws TypeError for a name that is not allowed
 * @example
 * ```ts
 * import {
 *   defineSettings,
 *   type Handler,
 *   type HandlerContext,
 *   type RequestMessage,
 * } from 'integration-gateway'
 *
 * export const settings = defineSettings({
 *   greeting: { variable: 'SHOP_GREETING', isSecret: false, default: 'Hello' },
 *   limit: { variable: 'SHOP_LIMIT', isSecret: false, default: '20', parse: Number },
 * })
 *
 * export default class Greet implements Handler {
 *   onRequest(request: RequestMessage, { broker, operator, setting }: HandlerContext) {
 *     const response = broker.createMessage(request.operationName, 'response')
 *     response.setContentString(
 *       `${setting(settings.greeting)} ${operator.id}`.slice(0, setting(settings.limit)),
 *     )
 *     return response
 *   }
 * }
 * ```
 */
export function defineSettings<const Definitions extends Readonly<Record<string, SettingDefinition>>>(
  definitions: Definitions,
): { readonly [Name in keyof Definitions]: Setting<SettingValue<Definitions[Name]>> } {
  const settings = Object.entries(definitions).map(([name, definition]) => [name, new Setting(definition)] as const)
  for (const [, setting] of settings) declared.add(setting)
  return Object.freeze(Object.fromEntries(settings)) as never
}

export function declaredSettings(): readonly Setting[] {
  return [...declared].sort((one, other) => (one.variable < other.variable ? -1 : 1))
}

/** @throws TypeError */
export function requireVariable(variable: string): string {
  const owner = foreign.find((prefix) => String(variable).startsWith(prefix))
  if (owner !== undefined)
    throw new TypeError(`The variable ${variable} cannot be a setting: names that begin with ${owner} belong to others`)
  if (!/^[A-Z][A-Z0-9_]{0,79}$/.test(variable))
    throw new TypeError(
      `The variable ${variable} cannot be a setting: its name is 1 to 80 capitals, digits and underscores`,
    )
  if (variable.endsWith('_FILE'))
    throw new TypeError(`The variable ${variable} cannot be a setting: it names the file of ${variable.slice(0, -5)}`)
  return variable
}

const foreign = ['IG_', 'PG', 'NODE_', 'OTEL_']
