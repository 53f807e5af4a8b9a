/** Bodies of requests: JSON of bounded depth and number of values (specification 18.18). */
import type { FastifyInstance } from 'fastify'
import { AdminProblem } from '../actions/problem-details.ts'

/** Maximum nesting of objects and lists, because readers are recursive. */
const maxLevels = 200
/** More than any configuration of the greatest size has: each may become an error with its path. */
const maxValues = 1_000_000

export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined)
    else
      parseJson(request, String(body), (error, value) => {
        const excess = error ? undefined : findExcess(value)
        done(excess === undefined ? error : new AdminProblem('invalid', `The body has more than ${excess}.`), value)
      })
  })
}

/** @returns what it has more of than a body may have: `200 levels` */
export function findExcess(body: unknown): string | undefined {
  let values = 0
  const exceeds = (value: unknown, levels: number): boolean => {
    values += 1
    if (values > maxValues) return true
    if (typeof value !== 'object' || value === null) return false
    return levels === 0 || Object.values(value).some((each) => exceeds(each, levels - 1))
  }
  if (!exceeds(body, maxLevels)) return undefined
  return values > maxValues ? `${maxValues} values` : `${maxLevels} levels`
}
