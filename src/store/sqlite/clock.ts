import { sql } from 'kysely'

/** Epoch milliseconds. */
export const clock = sql<number>`(unixepoch('subsec') * 1000)`
