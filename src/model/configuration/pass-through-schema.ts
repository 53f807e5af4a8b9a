/**
 * Where the calls of an operation are passed on to, instead of a handler (specification 36.1 to 36.3), and those of
 * operations that a node has only there (36.19).
 */
import { z } from 'zod'
import { isLoopback } from '../../base/loopback.ts'
import { parseSize, parseTime, sizeRule, timeRule } from '../../base/units.ts'
import { isCredentialHeader, verificationNames } from '../verification.ts'
import { strictObject } from './schema.ts'

/** As it is written. */
export type PassThroughDefinition = z.input<typeof passThroughSchema>
/** As it is used. */
export type PassThrough = z.output<typeof passThroughSchema>

const url = z.string().superRefine((text, context) => {
  const problem = findUrlProblem(text)
  if (problem !== undefined) context.addIssue(problem)
})

/** Of the connection, or the gateway's to write; credentials and cookies pass as `credentials` and `cookies` say. */
const reserved =
  /^(?:connection|keep-alive|proxy-.+|te|trailer|transfer-encoding|upgrade|http2-settings|content-length|host|expect|date|via|forwarded|x-forwarded-.+|traceparent|tracestate|ig-.+|cookie|set-cookie)$/i

/** Programs behind many servers read an underscore as a hyphen. */
export function isReservedHeader(name: string): boolean {
  return reserved.test(name.replaceAll('_', '-')) || isCredentialHeader(name)
}

const headers = z
  .array(
    z
      .string()
      .regex(/^[\w!#$%&'*+.^`|~-]{1,100}$/, 'must be the name of a header')
      .refine(
        (name) => !isReservedHeader(name),
        'is a header that the gateway writes itself, or one of the connection',
      ),
  )
  .readonly()
  .optional()

const passedFields = {
  /** The other server: an https URL, or http on loopback. The request target of a call is appended to it unchanged. */
  passThrough: url,
  /** `caller`: the credentials that the operation's verification has checked; `service`: those of `ig.passThrough.service`. */
  credentials: z.enum(['none', 'caller', 'service']).default('none'),
  /** What happens to the other server's cookies. `rename`: clients store them under different names. */
  cookies: z.enum(['drop', 'rename']).default('drop'),
  /** Request headers that are sent to the other server besides the usual ones. */
  requestHeaders: headers,
  /** Headers of its answer that are returned besides the usual ones. */
  responseHeaders: headers,
}

export const passThroughSchema = strictObject({
  ...passedFields,
  /** A handler that runs in addition to the other server, and whose answers are compared with its answers: `handlers/job.ts`. Its writes are rolled back. */
  shadow: z.string().optional(),
  /** The shadow runs for POST, PUT, PATCH and DELETE too: nothing of it must act outside the database. */
  shadowUnsafe: z.boolean().optional(),
})

export const upstream = strictObject({
  ...passedFields,
  /** How callers of these operations authenticate. */
  verification: z.enum(verificationNames),
  /** Holders of any of these lists may call them. */
  permissionLists: z.array(z.string()).min(1, 'must name at least one permission list').readonly(),
  /** What the message log and the monitor keep of a call. */
  logDetail: z.enum(['none', 'header', 'headerAndDetail']).default('none'),
  /** Time limit of the other server, such as `5s`; `ig.limits.handlerTimeout` is the most. */
  timeout: z
    .string()
    .refine((text) => parseTime(text) !== undefined, timeRule)
    .optional(),
  /** Maximum request body, such as `64KiB`; `ig.limits.body` is the most. */
  bodyLimit: z
    .string()
    .refine((text) => parseSize(text) !== undefined, sizeRule)
    .optional(),
})

export function isPassThrough(handler: unknown): handler is PassThrough {
  return typeof handler === 'object' && handler !== null
}

function findUrlProblem(text: string): string | undefined {
  const rule = 'must be an https URL, or an http one on loopback, such as https://original.example'
  if (!URL.canParse(text)) return rule
  const { protocol, hostname, username, password } = new URL(text)
  if (username !== '' || password !== '')
    return 'must have no user or password: set credentials and ig.passThrough.service'
  if (/[?#]/.test(text)) return 'must have no query and no fragment: the target of each call is appended'
  if (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname.replace(/^\[|\]$/g, '')))) return undefined
  return rule
}

/** Its origin, and the path before the target of a call. */
export function splitBase({ passThrough }: Pick<PassThrough, 'passThrough'>): { origin: string; path: string } {
  const { origin, pathname } = new URL(passThrough)
  return { origin, path: pathname.replace(/\/+$/, '') }
}
