/** A thread of pooled-worker.ts: each module that it runs finds its own port and data, as a new thread would. */
import { syncBuiltinESMExports } from 'node:module'
import { getPriority, setPriority } from 'node:os'
import workerThreads from 'node:worker_threads'

const { parentPort } = workerThreads
let count = 0
let isFree = true

parentPort.on('message', async (message) => {
  if (message === 'end') return parentPort.postMessage(isFree)
  const { module, workerData, port } = message
  isFree = false
  port.on('close', () => {
    isFree = true
  })
  resetPriority()
  Object.assign(workerThreads, { parentPort: port, workerData })
  syncBuiltinESMExports()
  await import(`${module}?${++count}`)
})

/** A writer before may have lowered it. */
function resetPriority() {
  if (process.platform !== 'linux') return
  const wanted = getPriority(process.pid)
  try {
    if (getPriority() !== wanted) setPriority(wanted)
  } catch {
    // only an administrator may raise it: the tests take a little longer
  }
}
