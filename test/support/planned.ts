/** A gateway on real sockets whose operation PLANNED, of each method, does what a test plans at the moment. */
import type { Configuration } from '../../src/configuration/configuration.ts'
import {
  type Handler,
  type HandlerContext,
  type RequestMessage,
  type ResponseMessage,
  Answer as ThrownAnswer,
} from '../../src/sdk.ts'
import { type Answer, basic, type CallOptions } from './client.ts'
import { findDatabase, type TestDatabase } from './databases.ts'
import { openReference, type WireGateway } from './gateway.ts'

export type Plan = (response: ResponseMessage, request: RequestMessage, context: HandlerContext) => unknown

export interface PlannedOptions {
  /** Default: SQLite. */
  readonly database?: TestDatabase
  readonly properties?: Readonly<Record<string, string>>
  /** Of the operation. */
  readonly fields?: Partial<Configuration['operations'][number]>
  readonly now?: () => number
}

export interface PlannedGateway extends WireGateway {
  /** What `onRequest` does from here on, before it returns the response; the handler's name is `Planned`. */
  plan: Plan
  onError: ((request: RequestMessage) => string) | undefined
  /** Calls PLANNED as DEMO. @param line `GET`, `GET ?a=1`: method and what follows `PLANNED.v1/` */
  ask(line: string, options?: CallOptions): Promise<Answer>
}

export async function openPlanned(options: PlannedOptions = {}): Promise<PlannedGateway> {
  const { database = findDatabase('SQLite'), properties = {}, fields = {}, now } = options
  class PlannedHandler implements Handler {
    async onRequest(request: RequestMessage, context: HandlerContext) {
      const response = context.broker.createMessage(request.operationName, 'response')
      const returned = await planned.plan(response, request, context)
      return returned instanceof ThrownAnswer ? returned : response
    }
    onError(request: RequestMessage) {
      return planned.onError?.(request) ?? ''
    }
  }
  const gateway = await openReference({
    database,
    properties,
    ...(now && { now }),
    handlers: { 'handlers/planned.ts': PlannedHandler },
    configure: (configuration) => {
      const model = configuration.operations.find(({ name }) => name === 'METADATA_BASIC')
      if (!model) throw new Error('The reference project has no METADATA_BASIC')
      const operation = { ...model, name: 'PLANNED', alias: 'PLANNED', handler: 'handlers/planned.ts', ...fields }
      const operations = (['GET', 'POST', 'PUT'] as const).map((method) => ({ ...operation, method }))
      return { ...configuration, operations: [...configuration.operations, ...operations] }
    },
  })
  const ask = (line: string, { headers, ...rest }: CallOptions = {}) => {
    const [method = 'GET', url = ''] = line.split(' ')
    return gateway.call(`${method} PLANNED.v1/${url}`, { headers: { ...basic('DEMO'), ...headers }, ...rest })
  }
  const planned: PlannedGateway = Object.assign(gateway, { plan: () => {}, onError: undefined, ask })
  return planned
}
