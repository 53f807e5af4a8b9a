/** The times, in milliseconds, of a claim on work that one process does for all (specification 6.10, 26.6). */

/** A dead process holds its claim for this long; a live one renews it. */
export const lease = 3_000
/** How often a waiting call checks whether another process has finished. */
export const claimPollInterval = 50
/** One process deletes expired idempotent responses for all, and claims that for as long; each one counts the others. */
export const deleteEvery = 60_000
