/** Loaded before a process's own code: its clock is an hour ahead, until SIGUSR2 sets it right. */
const now = Date.now.bind(Date)
let ahead = 3_600_000
Date.now = () => now() + ahead
process.on('SIGUSR2', () => {
  ahead = 0
})
