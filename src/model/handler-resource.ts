/** Resources of handlers: what is opened once a process, such as a pool of connections (specification 5.45 to 5.47). */
import { findForeignLine } from '../base/foreign-line.ts'
import { Resource, type ResourceDefinition } from './process-context.ts'

/** The resources of all modules that this process has loaded. */
const declared = new Set<Resource>()

/**
 * Declares a resource: opened once in each process that serves calls, shared by all of its calls, closed when the
 * process stops. It is never opened by `ig check` or for the check of a draft.
 * @example
 * ```ts
 * import {
 *   defineResource,
 *   type Handler,
 *   type HandlerContext,
 *   type RequestMessage,
 * } from 'integration-gateway'
 *
 * export const visits = defineResource({
 *   open: () => new Map<string, number>(),
 *   close: (counts) => counts.clear(),
 * })
 *
 * export default class CountVisits implements Handler {
 *   async onRequest(request: RequestMessage, context: HandlerContext) {
 *     const counts = await context.resource(visits)
 *     const count = (counts.get(context.operator.id) ?? 0) + 1
 *     counts.set(context.operator.id, count)
 *     const response = context.broker.createMessage(request.operationName, 'response')
 *     response.setContentString(String(count))
 *     return response
 *   }
 * }
 * ```
 */
export function defineResource<Value>(definition: ResourceDefinition<Value>): Resource<Value> {
  const { open, close, check, openAt = 'firstUse' } = definition
  for (const [name, part] of Object.entries({ open, close, check: check ?? open })) {
    if (typeof part !== 'function') throw new TypeError(`defineResource needs a function ${name}`)
  }
  if (openAt !== 'start' && openAt !== 'firstUse')
    throw new TypeError(`openAt is start or firstUse, not ${String(openAt)}`)
  const place = findForeignLine(new Error().stack ?? '')
  const resource = new Resource(definition, definition.name ?? place ?? 'a resource')
  declared.add(resource as Resource)
  return resource
}

export function declaredResources(): readonly Resource[] {
  return [...declared]
}
