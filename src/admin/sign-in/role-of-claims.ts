/** The role that an identity provider's claims give (specification 34.2, 34.4). */

import { type Role, toRole } from '../../actions/roles.ts'
import type { ProviderSettings } from '../../settings.ts'
import type { Administrator } from '../../store/administration/contract.ts'

export type Claims = Readonly<Record<string, unknown>>
type Mapping = Pick<ProviderSettings, 'administrators' | 'operators' | 'viewers'>

/** The highest first. */
const granted = [
  ['administrator', 'administrators'],
  ['operator', 'operators'],
  ['viewer', 'viewers'],
] as const satisfies readonly (readonly [Role, keyof Mapping])[]

/** A claim of this name, or a claim within a claim: `realm_access.roles`. */
export function findClaim(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  const [, outer = '', inner = ''] = /^([^.]+)\.(.+)$/.exec(name) ?? []
  const within = Object.hasOwn(claims, outer) ? claims[outer] : undefined
  return typeof within === 'object' && within !== null ? findClaim(within as Claims, inner) : undefined
}

/** @returns the values of a claim that give a role */
export function findGranting(claim: unknown, mapping: Mapping): readonly string[] {
  const known = new Set(granted.flatMap(([, key]) => mapping[key] ?? []))
  return (Array.isArray(claim) ? claim : [claim]).filter((each) => known.has(each))
}

/** @returns undefined if no value gives one */
export function roleOfValues(values: readonly string[], mapping: Mapping): Role | undefined {
  return granted.find(([, key]) => mapping[key]?.some((value) => values.includes(value)))?.[0]
}

/** By the settings of now, which may give less than at sign-in. @returns undefined if the person has no access any more */
export function roleOf(
  { role, identity }: Pick<Administrator, 'role' | 'identity'>,
  oidc: ProviderSettings | undefined,
): Role | undefined {
  if (!identity) return toRole(role)
  return oidc?.issuer === identity.issuer ? roleOfValues(identity.claimed, oidc) : undefined
}
