/** What authors write to pass the calls of an operation on to another server (specification 36.1). */
import type { PassThroughDefinition } from './configuration.ts'

/** Options of `passThrough`: what else is passed on. docs/reference/configuration.md has their meaning. */
export type PassThroughOptions = Omit<PassThroughDefinition, 'passThrough'>

/**
 * The handler of an operation whose calls another server answers: they are forwarded after this gateway's own
 * authentication and permission check, with the same method, target, headers and body, and the answer is sent back.
 * @param url of the other server: https, or http on loopback; the request target is appended to it unchanged
 * @param options what of the caller's credentials and of the other server's cookies is passed on: by default nothing
 * @example
 * ```ts
 * import { defineGateway, passThrough } from 'integration-gateway'
 *
 * export default defineGateway({
 *   nodes: [{ name: 'PSFT_HR', isDefaultLocal: true }],
 *   services: [{ name: 'JOBS' }],
 *   operations: [
 *     {
 *       service: 'JOBS',
 *       name: 'JOB',
 *       method: 'GET',
 *       verification: 'Basic',
 *       handler: passThrough('https://original.example'),
 *     },
 *   ],
 *   permissionLists: [{ name: 'JOBS_ALL', services: ['JOBS'] }],
 * })
 * ```
 */
export function passThrough(
  url: string,
  options: PassThroughOptions = {},
): PassThroughOptions & { readonly passThrough: string } {
  return { passThrough: url, ...options }
}
