/** The roles of administrators, each with all that those before it may (specification 18.8). */

export const roles = ['viewer', 'operator', 'administrator'] as const
export type Role = (typeof roles)[number]

/** What a role adds; shown in the reference, and what the tables of routes keep to. */
export const mayDo: Readonly<Record<Role, string>> = {
  viewer:
    'reads everything but messages of calls and the people who administer, in the audit too; administers its own session, password and tokens',
  operator: 'also reads messages of calls, locks, grants and revokes operators, and deletes from the REST cache',
  administrator: 'also changes the configuration, operators and their passwords, and the people who administer',
}

export function isRole(text: string): text is Role {
  return (roles as readonly string[]).includes(text)
}

export function hasRole(role: Role, wanted: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(wanted)
}

/** A token never outranks the one who made it, whatever became of them. */
export function lowerRole(one: string, other: string): Role {
  const rank = Math.min(...[one, other].map((role) => roles.indexOf(role as Role)))
  return roles[rank] ?? 'viewer'
}
