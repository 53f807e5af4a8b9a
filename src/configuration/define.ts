/**
 * Functions for authors of a `gateway.config.ts`: editors complete every field from the schema's types; the whole
 * document is validated when it is loaded (specification 2).
 */

import type { ValidGateway } from '../model/typed-operation.ts'
import type { AuthoredGateway } from './configuration.ts'
import type { SampleOperatorsDefinition } from './sample-operator.ts'

/**
 * Declares a gateway: the default export of `gateway.config.ts`. When it is loaded, all of its errors are reported together; a
 * variable that no element carries is a compile error already. Handlers take the types of their requests from it: see
 * `RequestMessage`.
 * @returns its argument, with its literal types
 * @example
 * ```ts
 * import { defineGateway } from 'integration-gateway'
 *
 * export default defineGateway({
 *   nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }],
 *   services: [{ name: 'WEATHER' }],
 *   operations: [
 *     {
 *       service: 'WEATHER',
 *       name: 'FORECAST',
 *       method: 'GET',
 *       verification: 'Basic',
 *       handler: 'handlers/forecast.ts',
 *     },
 *   ],
 *   permissionLists: [{ name: 'WEATHER_ALL', services: ['WEATHER'] }],
 * })
 * ```
 */
export function defineGateway<const Definition extends AuthoredGateway>(
  definition: Definition & ValidGateway<Definition>,
): Definition {
  return definition
}

/**
 * Declares operators for development: the named export `sampleOperators` of `gateway.config.ts`. `ig dev` adds those that
 * its store does not have; `ig start` never looks at them.
 * @returns its argument
 * @example
 * ```ts
 * import { defineSampleOperators } from 'integration-gateway'
 *
 * export const sampleOperators = defineSampleOperators([
 *   {
 *     id: 'TESTER',
 *     password: 'tester-password',
 *     email: 'tester@example.com',
 *     permissionLists: ['WEATHER_ALL'],
 *   },
 * ])
 * ```
 */
export function defineSampleOperators<const Definition extends SampleOperatorsDefinition>(
  operators: Definition,
): Definition {
  return operators
}
