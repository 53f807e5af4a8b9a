/** Checks whether a PostgreSQL server keeps acknowledged transactions after a power failure (specification 23.8). */

/** The consequence of each setting, and who can change it. */
const unsafe: Readonly<Record<string, string>> = {
  fsync: 'a power failure may destroy the database',
  full_page_writes: 'a power failure may destroy pages of the database',
  synchronous_commit: 'a crash or power failure loses the transactions acknowledged last',
}

/** Returns one row. */
export const durabilityQuery = `select ${Object.keys(unsafe)
  .map((name) => `current_setting('${name}') as ${name}`)
  .join(', ')}`

/** @returns a warning; undefined if it is durable */
export function describeDurability(settings: Readonly<Record<string, string>>): string | undefined {
  const off = Object.entries(unsafe).filter(([name]) => settings[name] === 'off')
  if (off.length === 0) return undefined
  const faults = off.map(([name, consequence]) => `${name} is off: ${consequence}`)
  return `The PostgreSQL server may lose transactions that it acknowledged. ${faults.join('; ')}. Set ${off.map(([name]) => name).join(', ')} to on.`
}
