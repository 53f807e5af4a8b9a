/**
 * A configuration without its invalid fields: the rules that involve several places check the rest, and their errors
 * are reported together with those of single fields (specification 2.12).
 */
import type { GatewayDefinition } from './configuration.ts'

export type UncheckedDefinition = UncheckedFields<GatewayDefinition>

/** Each field was checked by itself: `null` is an invalid field, already reported; undefined is an omitted one. */
type UncheckedFields<Value> = Value extends readonly (infer Item)[]
  ? readonly (UncheckedFields<Item> | null)[]
  : Value extends object
    ? { readonly [Key in keyof Value]?: UncheckedFields<Value[Key]> | null | undefined }
    : Value

type Issue = { readonly code: string; readonly path: readonly PropertyKey[] }
type Container = Record<PropertyKey, unknown>

/** @returns undefined if nothing remains */
export function withoutInvalid(input: unknown, issues: readonly Issue[]): UncheckedDefinition | undefined {
  const invalid = issues.filter(({ code }) => code !== 'unrecognized_keys').map(({ path }) => path)
  if (!isContainer(input) || invalid.some((path) => path.length === 0)) return undefined
  const copies = new Set<object>()
  const copy = (value: Container): Container => {
    if (copies.has(value)) return value
    const copied = (Array.isArray(value) ? [...value] : { ...value }) as Container
    copies.add(copied)
    return copied
  }

  const root = copy(input)
  for (const path of invalid) {
    let container: Container | undefined = root
    for (const key of path.slice(0, -1)) {
      const child: unknown = container?.[key]
      if (container === undefined || !isContainer(child)) container = undefined
      else container = container[key] = copy(child)
    }
    if (container) container[path.at(-1) as PropertyKey] = null
  }
  return root
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null
}
