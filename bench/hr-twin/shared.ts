/** What all routes of the twin share: authentication, permission, validation, errors. Configuration in the gateway. */
import { verify } from '@node-rs/argon2'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'

export const base = '/PSIGW/RESTListeningConnector/LOCAL_NODE'

declare module 'fastify' {
  interface FastifyRequest {
    operator: string
  }
}

export interface Operator {
  readonly passwordHash: string
  readonly operations: readonly string[]
}

const known = new Map<string, string>()

/** Basic credentials, verified once and remembered. */
export function authenticate(operators: ReadonlyMap<string, Operator>) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const header = request.headers.authorization ?? ''
    const [id = '', password = ''] = Buffer.from(header.replace(/^Basic /i, ''), 'base64')
      .toString()
      .split(/:(.*)/s)
    const operator = operators.get(id)
    const isRight = known.get(header) === id || (operator && (await verify(operator.passwordHash, password)))
    if (!operator || !isRight) return reply.code(401).header('www-authenticate', 'Basic realm="platform"').send()
    known.set(header, id)
    request.operator = id
    request.setDecorator('operations', operator.operations)
  }
}

export function permit(operation: string) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const operations = request.getDecorator<readonly string[]>('operations')
    if (!operations.includes(operation)) return reply.code(403).send({ error: 'not authorized' })
  }
}

type Field = 'NAME' | 'DEPTID' | 'EMAIL' | 'HIRE_DT'

export interface EmployeeRoute {
  Params: { emplid: string }
  Querystring: { fields?: Field[] }
}

export const employeeSchema = {
  params: { type: 'object', properties: { emplid: { type: 'string', pattern: '^[0-9]{6}$' } } },
  querystring: {
    type: 'object',
    properties: { fields: { type: 'array', items: { enum: ['NAME', 'DEPTID', 'EMAIL', 'HIRE_DT'] } } },
  },
}

class HttpError extends Error {
  readonly statusCode: number

  constructor(statusCode: number, message: string) {
    super(message)
    this.statusCode = statusCode
  }
}

export function conflict(message: string): HttpError {
  return new HttpError(409, message)
}

export function validate<Schema extends z.ZodType>(schema: Schema, body: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(body)
  if (!parsed.success) throw new HttpError(422, 'The body is invalid.')
  return parsed.data
}

export function timestamp(): string {
  return new Date().toISOString().replace('T', ' ').replace('Z', '')
}
