/** A thread of pooled-worker.ts: each module that it runs finds its own port and data, as a new thread would. */
import { syncBuiltinESMExports } from 'node:module'
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
  Object.assign(workerThreads, { parentPort: port, workerData })
  syncBuiltinESMExports()
  await import(`${module}?${++count}`)
})
