/**
 * Where the calls of an operation are passed on to, instead of a handler (specification 36.1 to 36.3), and those of
 * operations that a node has only there (36.19).
 */
import { z } from 'zod'
import { parseSize, sizeRule } from '../../base/units.ts'
import { serverUrl, time } from '../../configuration/fields.ts'
import { strictObject } from '../../configuration/schema.ts'
import { isReservedHeader } from '../../model/reserved-header.ts'
import { verificationNames } from '../../model/verification.ts'

/** As it is written. */
export type PassThroughDefinition = z.input<typeof passThrough>
/** As it is used. */
export type PassThrough = z.output<typeof passThrough>

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

const upstreamFields = {
  /** The other server: an https URL, or http on loopback. The request target of a call is appended to it unchanged. */
  passThrough: serverUrl,
  /** `caller`: the credentials that the operation's verification has checked; `service`: those of `ig.passThrough.service`. */
  credentials: z.enum(['none', 'caller', 'service']).default('none'),
  /** What happens to the other server's cookies. `rename`: clients store them under different names. */
  cookies: z.enum(['drop', 'rename']).default('drop'),
  /** Request headers that are sent to the other server besides the usual ones. */
  requestHeaders: headers,
  /** Headers of its answer that are returned besides the usual ones. */
  responseHeaders: headers,
}

const passThrough = strictObject({
  ...upstreamFields,
  /** A handler that runs in addition to the other server, and whose answers are compared with its answers: `handlers/job.ts`. Its writes are rolled back. */
  shadow: z.string().optional(),
  /** The shadow runs for POST, PUT, PATCH and DELETE too: nothing of it must act outside the database. */
  shadowUnsafe: z.boolean().optional(),
})

const upstream = strictObject({
  ...upstreamFields,
  /** How callers of these operations authenticate. */
  verification: z.enum(verificationNames),
  /** Holders of any of these lists may call them. */
  permissionLists: z.array(z.string()).min(1, 'must name at least one permission list').readonly(),
  /** What the message log and the monitor keep of a call. */
  logDetail: z.enum(['none', 'header', 'headerAndDetail']).default('none'),
  /** Time limit of the other server, such as `5s`; `ig.limits.handlerTimeout` is the most. */
  timeout: time.optional(),
  /** Maximum request body, such as `64KiB`; `ig.limits.body` is the most. */
  bodyLimit: z
    .string()
    .refine((text) => parseSize(text) !== undefined, sizeRule)
    .optional(),
})

export const handlerForms = { passThrough: { schema: passThrough, reference: 'shadow' } } as const

export const nodeFields = {
  /** Another server that answers operations that this gateway does not have: `{ passThrough: 'https://…', verification: 'Basic', permissionLists: ['…'] }`. */
  upstream: upstream.optional(),
}

/** A node's upstream becomes operations, checked like all others (specification 36.19). */
export function fallbackOf({ upstream: stated }: { readonly upstream?: z.output<typeof upstream> | undefined }) {
  if (!stated) return undefined
  const { passThrough, credentials, cookies, requestHeaders, responseHeaders, ...fields } = stated
  return { ...fields, handler: { passThrough, credentials, cookies, requestHeaders, responseHeaders } }
}

export function isPassThrough(handler: unknown): handler is PassThrough {
  return typeof handler === 'object' && handler !== null
}

/** Its origin, and the path before the target of a call. */
export function splitBase({ passThrough }: Pick<PassThrough, 'passThrough'>): { origin: string; path: string } {
  const { origin, pathname } = new URL(passThrough)
  return { origin, path: pathname.replace(/\/+$/, '') }
}
