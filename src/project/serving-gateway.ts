/** The gateway of a process that serves calls; the calls themselves need less of its parts (specification 3). */
import type { Gateway } from '../gateway.ts'
import type { RestCache } from '../steps/cache/rest-cache.ts'

export interface ServingGateway extends Gateway {
  readonly restCache: RestCache
}
