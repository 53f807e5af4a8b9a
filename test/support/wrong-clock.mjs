/** Loaded before a process's own code: its clock is a minute ahead. */
const now = Date.now.bind(Date)
Date.now = () => now() + 60_000
