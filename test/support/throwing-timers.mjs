/** Loaded before a process's own code: at SIGUSR2 a timer of the gateway of each kind throws. */
import { setImmediate, setInterval, setTimeout } from '../../src/base/timers.ts'

const fail = (kind) => {
  throw new Error(`thrown by ${kind}`)
}
process.on('SIGUSR2', () => {
  setImmediate(fail, 'setImmediate')
  setTimeout(fail, 1, 'setTimeout')
  const timer = setInterval(() => {
    clearInterval(timer)
    fail('setInterval')
  }, 1)
})
