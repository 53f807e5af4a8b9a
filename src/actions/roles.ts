/** The roles of administrators; each includes the rights of those before it (specification 18.8). */

export const roles = ['viewer', 'operator', 'administrator'] as const
export type Role = (typeof roles)[number]

/** The rights that each role adds; the API reference shows them. */
export const mayDo: Readonly<Record<Role, string>> = {
  viewer:
    'reads everything except messages of calls and data about administrators, also in the audit log; manages its own session, password and tokens',
  operator:
    'also reads messages of calls, locks operators, grants and revokes their permission lists, revokes session tokens, deletes REST cache entries, and silences alerts',
  administrator: 'also changes the configuration, operators and their passwords, and administrators',
}

/** Reads a role from the store; an unknown one becomes the role with the least rights. */
export function toRole(text: string): Role {
  return roles.find((role) => role === text) ?? 'viewer'
}

export function hasRole(role: Role, wanted: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(wanted)
}

/** A token never outranks the current role of its owner. */
export function lowerRole(one: string, other: string): Role {
  const rank = Math.min(...[one, other].map((role) => roles.indexOf(role as Role)))
  return roles[rank] ?? 'viewer'
}
