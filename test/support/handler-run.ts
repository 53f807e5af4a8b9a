/** One run of a handler without a socket: message, handler, transaction and response, on a real store where one is given. */

import type { Catalog } from '../../src/configuration/catalog.ts'
import { openSpool } from '../../src/http/spool.ts'
import type { Call, OperationResponse } from '../../src/model/call.ts'
import type { HandlerClass } from '../../src/model/handler.ts'
import type { Observation } from '../../src/model/observation.ts'
import type { Operation } from '../../src/model/operation.ts'
import type { Operator } from '../../src/model/operator.ts'
import { Refusal } from '../../src/model/refusal.ts'
import type { Transaction } from '../../src/model/transaction.ts'
import { parseTarget } from '../../src/model/uri/target.ts'
import type { UriDocument } from '../../src/model/uri/uri-document.ts'
import { type Limits, readSettings, type Settings } from '../../src/settings.ts'
import { openSharedParts } from '../../src/steps/handler/shared-parts.ts'
import { readMessage } from '../../src/steps/read-message.ts'
import { runHandler } from '../../src/steps/run-handler.ts'
import type { Store } from '../../src/store/store.ts'

export interface RunOptions {
  readonly handler: HandlerClass
  readonly body?: string | Buffer
  readonly headers?: Call['headers']
  readonly values?: UriDocument['values']
  readonly uriResourceIndex?: number
  readonly operation?: Partial<Operation>
  readonly limits?: Partial<Limits>
  readonly settings?: Partial<Settings>
  readonly store?: Pick<Store, 'openHandlerTransaction' | 'openSnapshot' | 'dbType'>
  readonly operations?: readonly Operation[]
  readonly operatorId?: string
  readonly transactionId?: string
  /** Of the client's leaving. */
  readonly signal?: AbortSignal
  readonly now?: () => number
  readonly deleteOperation?: (operationId: string) => Promise<void>
}

export interface Outcome {
  readonly response: OperationResponse | undefined
  readonly refusal: Refusal | undefined
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
  readonly notes: readonly Extract<Observation, { kind: 'note' }>[]
  readonly isBodyClosed: boolean
  readonly loggedBody: Buffer | undefined
  readonly deletedCaches: readonly string[]
}

/** Bytes that a socket gives at once. */
const packet = 64 * 1024

export const someTransactionId = '5f1c9a52-3b1e-4c0d-9d55-0c6a1f0e7b21'

export async function run(options: RunOptions): Promise<Outcome> {
  const notes: Extract<Observation, { kind: 'note' }>[] = []
  const deletedCaches: string[] = []
  const operation = describeOperation(options.handler, options.operation)
  const operator = describeOperator(options.operatorId ?? 'DEMO')
  const defaults = readSettings('/', {})
  const settings = { ...defaults, ...options.settings, limits: { ...defaults.limits, ...options.limits } }
  let isBodyClosed = false
  const call: Call = {
    method: operation.method,
    target: '/',
    headers: options.headers ?? {},
    isSecure: false,
    remoteAddress: '127.0.0.1',
    signal: options.signal ?? new AbortController().signal,
    async readBody() {
      const spool = openSpool({ memoryBytes: settings.limits.spoolMemoryBytes })
      const bytes = Buffer.from(options.body ?? '')
      for (let at = 0; at < bytes.length; at += packet) await spool.write(bytes.subarray(at, at + packet))
      const { body } = spool
      const close = () => {
        isBodyClosed = true
        return body.close()
      }
      return {
        size: body.size,
        bytes: () => body.bytes(),
        stream: () => body.stream(),
        pieces: () => body.pieces(),
        close,
      }
    },
  }
  const now = options.now ?? Date.now
  const target = parseTarget('/PSIGW/RESTListeningConnector/LOCAL_NODE/SAMPLE.v1/', 'PSIGW')
  const transaction: Transaction = {
    id: options.transactionId ?? someTransactionId,
    target,
    begun: now(),
    isSecure: false,
    sessionId: '',
    ecid: '',
    rid: '',
    operation,
    operator,
  }
  const catalog = describeCatalog([operation, ...(options.operations ?? [])])
  const observe = (observation: Observation) => void (observation.kind === 'note' && notes.push(observation))
  const gateway = {
    settings,
    shared: openSharedParts({ settings, observe, now }),
    store: options.store ?? noStore,
    restCache: {
      deleteOperation: async (operationId: string) => {
        deletedCaches.push(operationId)
        await options.deleteOperation?.(operationId)
      },
    },
    server: {
      dbname: settings.dbname,
      dbType: options.store?.dbType ?? ('SQLITE' as const),
      toolsRelease: '1.2.3',
      platformName: settings.platformName,
      timeZone: 'UTC',
    },
    verifiers: {
      Token: {
        issue: async (id: string) => ({ token: `a session token of ${id}`, id: 'one', expires: now() }),
      },
    },
    observe,
    now,
  }
  const uri = { uriResourceIndex: options.uriResourceIndex ?? 1, values: options.values ?? {}, texts: new Map() }
  const outcome = { response: undefined, refusal: undefined, text: '', headers: {}, notes, deletedCaches }
  const seen = () => ({ isBodyClosed, loggedBody: transaction.message?.loggedBody })
  try {
    const request = await readMessage(call, target, operation, uri, transaction, gateway)
    transaction.message = request
    const response = await runHandler(request, operation, operator, transaction, catalog, gateway)
    const headers = Object.fromEntries(pairs(response.headers))
    return { ...outcome, response, headers, text: response.body.bytes.toString(), ...seen() }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { ...outcome, refusal: error, ...seen() }
  }
}

/** The response of a run that must succeed. */
export async function succeed(options: RunOptions): Promise<Outcome> {
  const outcome = await run(options)
  if (outcome.refusal) throw outcome.refusal
  return outcome
}

export function describeOperation(handler: HandlerClass, changes: Partial<Operation> = {}): Operation {
  const name = changes.name ?? 'SAMPLE'
  const method = changes.method ?? 'POST'
  const contentType = 'text/xml; encoding="UTF-8"'
  return {
    id: `${name}_${method}.v1`,
    fullName: `${name}_${method}`,
    name,
    alias: name,
    method,
    version: 'v1',
    segment: `${changes.alias ?? name}.${changes.version ?? 'v1'}`,
    service: 'SAMPLES',
    verification: 'Basic',
    templates: [],
    document: undefined,
    request: { kind: 'nonRowset', contentType, httpCode: 200 },
    response: { kind: 'nonRowset', contentType, httpCode: 200 },
    fault: { kind: 'nonRowset', contentType, httpCode: 500 },
    handler,
    transaction: method === 'GET' ? 'read' : 'write',
    logDetail: 'none',
    errorStyle: undefined,
    cacheKeyPolicy: undefined,
    allowsOptions: false,
    permittedBy: new Set(),
    fingerprint: name,
    ...changes,
  }
}

function describeOperator(id: string): Operator {
  return {
    id,
    description: `Operator ${id}`,
    passwordHash: undefined,
    emails: [],
    isLocked: false,
    permissionLists: ['ALL', 'NONE'],
  }
}

function describeCatalog(operations: readonly Operation[]): Catalog {
  return {
    configuration: { services: [] } as unknown as Catalog['configuration'],
    revision: undefined,
    nodes: new Set(['LOCAL_NODE']),
    defaultNode: 'LOCAL_NODE',
    anonymousOperatorId: undefined,
    services: new Map(),
    operations: new Map(operations.map((operation) => [operation.id, operation])),
    fallbacks: { find: () => undefined },
    routings: [],
    limits: new Map(),
    handlers: new Map(),
    permissionLists: new Map(),
  }
}

const noStore = {
  dbType: 'SQLITE' as const,
  openHandlerTransaction: () => {
    throw new Error('this run has no store')
  },
  openSnapshot: () => {
    throw new Error('this run has no store')
  },
}

function* pairs(flat: readonly string[]): Generator<[string, string]> {
  for (let index = 0; index < flat.length; index += 2) yield [flat[index] ?? '', flat[index + 1] ?? '']
}
