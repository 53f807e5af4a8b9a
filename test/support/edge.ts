/** The edge alone, in front of an answer that a test writes: real sockets, no store, no configuration. */
import { openServer } from '../../src/http/server.ts'
import { type Call, emptyBody, type OperationResponse, type Reply } from '../../src/model/call.ts'
import { MemoryBudget } from '../../src/model/memory-budget.ts'
import type { Observation } from '../../src/model/observation.ts'
import { type Limits, readSettings, type Settings } from '../../src/settings.ts'
import { beginTransaction } from '../../src/steps/begin-transaction.ts'
import { asRefusal, buildRefusal } from '../../src/steps/build-refusal.ts'
import { buildReply } from '../../src/steps/build-reply.ts'
import { patience } from './patience.ts'

const defaults = readSettings('/nowhere', {})

export const edgeLimits: Limits = {
  ...defaults.limits,
  maxBodyBytes: 1024 * 1024,
  spoolMemoryBytes: 64 * 1024,
  handlerTimeout: patience,
  databaseWait: patience,
  headersTimeout: patience,
  bodyTimeout: patience,
  responseTimeout: patience,
  keepAliveTimeout: 5_000,
  shutdownGrace: 5_000,
  shutdownIdle: 1,
}

export const edgeSettings: Settings = { ...defaults, port: 0, limits: edgeLimits }

export interface EdgeGateway {
  readonly settings: Settings
  readonly observe: (observation: Observation) => void
  readonly memory: MemoryBudget
  now(): number
}

export interface EdgeOptions {
  /** What an operation would answer: a string is a text of status 200; what it throws is refused. */
  readonly operation?: (call: Call) => Promise<string | OperationResponse> | string | OperationResponse
  /** In place of the whole pipeline. */
  readonly answer?: (call: Call, gateway: EdgeGateway) => Promise<Reply>
  readonly limits?: Partial<Limits>
  readonly settings?: Partial<Settings>
  readonly observe?: (observation: Observation) => void
  readonly memory?: MemoryBudget
}

export async function openEdge(options: EdgeOptions = {}) {
  const { operation = () => 'ok', limits = {} } = options
  const observations: Observation[] = []
  const settings = { ...edgeSettings, ...options.settings, limits: { ...edgeLimits, ...limits } }
  const observe = options.observe ?? ((observation: Observation) => void observations.push(observation))
  const memory = options.memory ?? new MemoryBudget(1024 ** 3)
  const gateway: EdgeGateway = { settings, now: Date.now, observe, memory }
  const answer = async (call: Call): Promise<Reply> => {
    const transaction = beginTransaction(call, gateway)
    try {
      const response = await operation(call)
      return buildReply(typeof response === 'string' ? plain(response) : response, call, transaction, gateway)
    } catch (error) {
      return buildRefusal(asRefusal(error), call, transaction, gateway)
    }
  }
  const server = await openServer({ gateway, settings, answer: options.answer ?? answer })
  let closing: Promise<void> | undefined
  const close = () => (closing ??= server.close())
  return { url: server.url, tlsUrl: server.tlsUrl, gateway, observations, close, [Symbol.asyncDispose]: close }
}

export function plain(text: string, status = 200, headers: readonly string[] = []): OperationResponse {
  const body = text === '' ? emptyBody : { bytes: Buffer.from(text) }
  return { status, headers: ['content-type', 'text/plain; charset=UTF-8', ...headers], body }
}

/** Something that a test waits for, made to happen by the other side. */
export function signalled<Value = void>() {
  return Promise.withResolvers<Value>()
}
