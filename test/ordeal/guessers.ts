/** The guessers of the ordeal `guessing`, in a process of their own: their event loop is not the measured client's. */
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Guessers {
  readonly url: string
  readonly connections: number
  /** Whose passwords are guessed: the one operator's, and beyond that of ids that no operator has. */
  readonly ids: number
  /** Each connection comes from a network of its own. */
  readonly isSpread?: boolean
  /** They leave instead of waiting for the answer. */
  readonly isImpatient?: boolean
}

export const guessedNetwork = '127.1.0.1'
/** Milliseconds: a right password would be answered by then. A turn takes so long, so that no flood of connections is measured. */
const patience = 1000

const counted = { guesses: 0, took: 0 }
/** One for each connection. */
const asking = new Set<Agent>()
let isEnding = false

process.on('message', (message: Guessers | 'end') => {
  if (message === 'end') {
    isEnding = true
    process.send?.({ ...counted, maxConnected: asking.size }, () => process.exit())
    return
  }
  for (let index = 0; index < message.connections; index++) void guess(message, index)
  process.send?.('begun')
})

async function guess({ url, connections, ids, isSpread, isImpatient }: Guessers, index: number): Promise<void> {
  const localAddress = isSpread ? `127.2.${index}.1` : guessedNetwork
  const agent = new Agent({ keepAlive: true, maxSockets: 1, localAddress })
  for (let turn = 0; !isEnding; turn++) {
    const id = (index + turn * connections) % ids
    const credentials = `${id === 0 ? 'GUESSED' : `SPRAYED${id}`}:guess ${index} ${turn}`
    const [status] = await Promise.all([
      send(url, agent, credentials, isImpatient ? patience : undefined),
      isImpatient ? sleep(patience) : undefined,
    ])
    if (status === 200) counted.took += 1
  }
}

/** @returns 0 where it left before the answer */
function send(url: string, agent: Agent, credentials: string, timeout: number | undefined): Promise<number> {
  const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`
  return new Promise((resolve) => {
    const asked = request(url, { agent, headers: { authorization } }, (response) => {
      if (response.statusCode === 401) counted.guesses += 1
      response.on('end', () => resolve(response.statusCode ?? 0)).resume()
    })
      .on('error', () => resolve(0))
      .on('close', () => resolve(0))
    if (timeout !== undefined) setTimeout(() => asked.destroy(), timeout)
    asked.on('finish', () => asking.add(agent)).end()
  })
}
