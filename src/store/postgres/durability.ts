/** Whether a PostgreSQL keeps what it acknowledged when its power fails (specification 23.8). */

/** What must not be so, and whose the setting is. */
const unsafe: Readonly<Record<string, string>> = {
  fsync: 'a power failure may destroy the database',
  full_page_writes: 'a power failure may destroy pages of the database',
  synchronous_commit: 'a crash or power failure loses the transactions acknowledged last',
}

/** Answered with one row. */
export const durabilityQuery = `select ${Object.keys(unsafe)
  .map((name) => `current_setting('${name}') as ${name}`)
  .join(', ')}`

/** @returns what people should know; undefined where it is durable */
export function describeDurability(settings: Readonly<Record<string, string>>): string | undefined {
  const off = Object.entries(unsafe).filter(([name]) => settings[name] === 'off')
  if (off.length === 0) return undefined
  const faults = off.map(([name, consequence]) => `${name} is off: ${consequence}`)
  return `The PostgreSQL server may lose transactions that it acknowledged. ${faults.join('; ')}. Set ${off.map(([name]) => name).join(', ')} to on.`
}
