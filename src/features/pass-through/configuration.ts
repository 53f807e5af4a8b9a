/**
 * Where the calls of an operation are passed on to, instead of a handler (specification 36.1 to 36.3), and those of
 * operations that a node has only there (36.19).
 */
import { z } from 'zod'
import { logDetail, serverUrl, size, time } from '../../configuration/fields.ts'
import type { FeatureOperation } from '../../configuration/list-row.ts'
import { strictObject } from '../../configuration/schema.ts'
import { methods } from '../../model/operation-terms.ts'
import { isReservedHeader } from '../../model/reserved-header.ts'
import { verificationNames } from '../../model/verification.ts'

/** The form in which the configuration is written. */
export type PassThroughDefinition = z.input<typeof passThrough>
/** The form in which it is used, with all defaults. */
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
  passThrough: serverUrl.meta({
    title: 'Upstream',
    description:
      'URL of the other server: https, or http on loopback. The request target of a call is appended to it unchanged',
  }),
  credentials: z.enum(['none', 'caller', 'service']).default('none').meta({
    title: 'Credentials for the upstream',
    description:
      "`caller`: the credentials that the operation's verification has checked; `service`: those of `ig.passThrough.service`",
  }),
  cookies: z.enum(['drop', 'rename']).default('drop').meta({
    title: 'Cookies of the upstream',
    description: '`rename`: clients store them under different names',
  }),
  requestHeaders: headers.meta({
    title: 'Request headers sent to the upstream',
    description: 'Names, besides the usual ones',
  }),
  responseHeaders: headers.meta({
    title: 'Response headers of the upstream',
    description: 'Names, besides the usual ones',
  }),
}

const passThrough = strictObject({
  ...upstreamFields,
  shadow: z
    .string()
    .optional()
    .describe(
      'A handler that runs in addition to the other server, and whose answers are compared with its answers: `handlers/job.ts`. Its writes are rolled back',
    ),
  shadowUnsafe: z
    .boolean()
    .optional()
    .describe('The shadow runs for POST, PUT, PATCH and DELETE too: nothing of it must act outside the database'),
})

const upstream = strictObject({
  ...upstreamFields,
  verification: z.enum(verificationNames).meta({
    title: 'Verification of these operations',
    description: 'How callers of operations that are passed on authenticate',
  }),
  permissionLists: z
    .array(z.string())
    .min(1, 'must name at least one permission list')
    .readonly()
    .meta({
      title: 'Permission lists of these operations',
      description: 'Holders of any of these lists may call operations that are passed on',
      'x-form': { of: 'permissionLists' },
    }),
  logDetail: logDetail.meta({ title: 'Log detail of the upstream' }),
  timeout: time.optional().meta({
    title: 'Time limit of the upstream',
    description: 'Such as `5s`; at most `ig.limits.handlerTimeout`',
  }),
  bodyLimit: size.optional().meta({
    title: 'Body limit of the upstream',
    description: 'Maximum request body, such as `64KiB`; at most `ig.limits.body`',
  }),
})

export const handlerForms = { passThrough: { schema: passThrough, reference: 'shadow' } } as const

export const nodeFields = {
  upstream: upstream
    .optional()
    .describe(
      "Another server that answers operations that this gateway does not have: `{ passThrough: 'https://…', verification: 'Basic', permissionLists: ['…'] }`",
    ),
}

interface UpstreamNode {
  readonly name: string
  readonly isActive: boolean
  readonly upstream?: z.output<typeof upstream> | undefined
}

/** The upstream of an active node becomes an operation for each method (specification 36.19). */
export function operationsOf({ nodes }: { readonly nodes: readonly UpstreamNode[] }): readonly FeatureOperation[] {
  return nodes.flatMap(({ name, isActive, upstream: stated }, index) => {
    if (!isActive || !stated) return []
    const { passThrough, credentials, cookies, requestHeaders, responseHeaders, permissionLists, ...fields } = stated
    const handler = { passThrough, credentials, cookies, requestHeaders, responseHeaders }
    const place = `nodes[${index}].upstream`
    // The version is one that no operation has
    const upstream = { name, version: 'upstream', alias: name, ofNode: name, place, permissionLists }
    return methods.map((method) => ({
      ...upstream,
      id: `${name}_${method}.upstream`,
      method,
      fields: { ...fields, handler },
    }))
  })
}

export function isPassThrough(handler: unknown): handler is PassThrough {
  return typeof handler === 'object' && handler !== null
}

/** Its origin, and the path before the target of a call. */
export function splitBase({ passThrough }: Pick<PassThrough, 'passThrough'>): { origin: string; path: string } {
  const { origin, pathname } = new URL(passThrough)
  return { origin, path: pathname.replace(/\/+$/, '') }
}
