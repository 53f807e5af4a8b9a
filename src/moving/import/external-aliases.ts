/** External aliases: the names under which callers of the original reach operations, from its routings (specification 16.14). */
import type { Problem } from '../../model/problem.ts'
import { isAlias } from './names.ts'

type Row = Readonly<Record<string, string>> & { readonly place: string }

interface NamedMethod {
  readonly name: string
  readonly method: string
}

/**
 * @param operations by their full names: `JOB_GET`
 * @returns name → alias, of operations that have another alias than their name
 */
export function readAliases(
  routings: readonly Row[],
  aliases: readonly Row[],
  operations: ReadonlyMap<string, readonly NamedMethod[]>,
  notices: Problem[],
): ReadonlyMap<string, string> {
  const operationOf = new Map(
    routings.filter(isActive).map((row) => [row.ROUTINGDEFNNAME, operations.get(row.IB_OPERATIONNAME ?? '')?.[0]]),
  )
  const named = aliases.flatMap(({ ROUTINGDEFNNAME, ALIASNAME = '', place }) => {
    const operation = operationOf.get(ROUTINGDEFNNAME)
    if (!operation) return []
    const { name, method } = operation
    const alias = ALIASNAME.trim()
      .replace(/\.v\d+$/, '')
      .replace(new RegExp(`_${method}$`), '')
    return { name, alias, place }
  })
  const taken = new Map([...operations.values()].flat().map(({ name }) => [name, name]))
  const found = new Map<string, string>()
  for (const { name, alias, place } of named) {
    const known = found.get(name)
    if (alias === name || alias === known) continue
    const owner = taken.get(alias)
    const reason = !isAlias(alias)
      ? 'it is no alias'
      : known !== undefined
        ? `${name} has the alias ${known}, and can have one`
        : owner !== undefined && owner !== name
          ? `${owner} is called so`
          : undefined
    if (reason === undefined) {
      found.set(name, alias)
      taken.set(alias, name)
    } else notices.push({ path: place, message: `is left out: ${JSON.stringify(alias)} of ${name}: ${reason}` })
  }
  for (const name of new Set(
    named.filter(({ name, alias }) => alias === name && found.has(name)).map(({ name }) => name),
  ))
    notices.push({
      path: name,
      message: `is called ${found.get(name)}: its routings have its own name, too, which is no longer served`,
    })
  return found
}

export function isActive({ EFF_STATUS = 'A' }: Row): boolean {
  return EFF_STATUS === 'A'
}
