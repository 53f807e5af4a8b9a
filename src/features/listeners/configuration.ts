/** The list `listeners` of the configuration, and the operations that its items are (specification 44.1, 44.2). */
import { z } from 'zod'
import { allowedAddresses, logDetail, serverUrl, size, time } from '../../configuration/fields.ts'
import type { FeatureOperation } from '../../configuration/list-row.ts'
import { strictObject } from '../../configuration/schema.ts'
import type { Problem } from '../../model/problem.ts'
import { verificationNames } from '../../model/verification.ts'
import { checkDocument, refuseBody } from './check-body.ts'
import { sentHeaders } from './parameters.ts'

const connectors = ['HttpListeningConnector', 'PeopleSoftServiceListeningConnector'] as const
/** The only one that serves WSDL. */
const wsdlConnector = 'PeopleSoftServiceListeningConnector'

const node = z.string().regex(/^\w{1,30}$/, 'must be the name of a node')

const allowed = strictObject({
  operation: z
    .string()
    .regex(/^[\w-]+(?:\.[\w-]+)*$/, 'must be the name by which callers call it, such as JOB_SYNC.v1')
    .meta({ title: 'Operation', description: 'The name by which callers call it, in this letter case: `JOB_SYNC.v1`' }),
  from: node
    .optional()
    .meta({ title: 'From', description: 'The node that the caller names as its own. Left out: none' }),
  to: node
    .optional()
    .meta({ title: 'To', description: 'The node that the caller names as the receiver. Left out: none' }),
})

export const listener = strictObject({
  connector: z.enum(connectors).meta({
    title: 'Connector',
    description: 'The listener of the original: the last segment of its URL',
  }),
  passThrough: serverUrl.meta({
    title: 'Original',
    description:
      'URL of the original: https, or http on loopback. The request target of a call is appended to it unchanged',
  }),
  verification: z.enum(verificationNames).meta({
    title: 'Verification',
    description: 'How callers authenticate. Their credentials are not passed on',
  }),
  allow: z.array(allowed).readonly().meta({
    title: 'Allowed calls',
    description: 'All others are refused. Permission lists name each as `<connector>:<operation>:<from>:<to>`',
  }),
  wsdl: z.boolean().default(false).meta({
    title: 'WSDL',
    description: 'Also passes GET of a WSDL or schema, for permission lists `PeopleSoftServiceListeningConnector:wsdl`',
  }),
  nodePassword: z.boolean().default(false).meta({
    title: 'Password of the node',
    description: 'Callers may send the password of their node, `Password`, to the original',
  }),
  allowedAddresses,
  logDetail,
  timeout: time.optional().meta({
    title: 'Time limit',
    description: 'Of the original, such as `5s`; at most `ig.limits.handlerTimeout`',
  }),
  bodyLimit: size.optional().meta({
    title: 'Body limit',
    description: 'Maximum request body, such as `64KiB`; at most `ig.limits.body`',
  }),
})

type Listener = z.output<typeof listener>
type Triple = Listener['allow'][number]

export function idOf(connector: string, { operation, from = '', to = '' }: Partial<Triple>): string {
  return `${connector}:${operation}:${from}:${to}`
}

export const wsdlId = `${wsdlConnector}:wsdl`

/** An operation for each listed call, with the rules of pass-through. */
export function operationsOf({ listeners }: { readonly listeners: readonly Listener[] }): readonly FeatureOperation[] {
  // What is not the listener's own is a field of its operations
  return listeners.flatMap(({ connector, passThrough, allow, wsdl, nodePassword, ...fields }, index) => {
    const common = { alias: connector, version: 'none', place: `listeners[${index}]` }
    const handler = { passThrough, requestHeaders: sentHeaders({ nodePassword }) }
    const posts = allow.map((triple): FeatureOperation => {
      const id = idOf(connector, triple)
      return {
        ...common,
        id,
        name: triple.operation,
        method: 'POST',
        fields: { ...fields, handler },
        checkBody: checkDocument,
      }
    })
    if (!wsdl) return posts
    const own = { id: wsdlId, name: 'wsdl', method: 'GET', checkBody: refuseBody } as const
    return [...posts, { ...common, ...own, fields: { ...fields, handler: { passThrough } } }]
  })
}

type UncheckedTriple = Partial<Readonly<Record<keyof Triple, string | null | undefined>>>
interface UncheckedListeners {
  readonly listeners?:
    | readonly ({
        readonly connector?: string | null | undefined
        readonly wsdl?: boolean | null | undefined
        readonly allow?: readonly (UncheckedTriple | null)[] | null | undefined
      } | null)[]
    | null
}

export function operationIds({ listeners }: UncheckedListeners): readonly string[] {
  return (listeners ?? []).flatMap((each) => {
    if (!each?.connector) return []
    const { connector, allow, wsdl } = each
    return [...(wsdl ? [wsdlId] : []), ...(allow ?? []).map((triple) => idOf(connector, (triple ?? {}) as Triple))]
  })
}

export function* check({ listeners }: UncheckedListeners): Iterable<Problem> {
  for (const [index, each] of (listeners ?? []).entries()) {
    if (!each?.connector) continue
    const { connector, wsdl, allow } = each
    const path = `listeners[${index}]`
    if (wsdl && connector !== wsdlConnector)
      yield { path: `${path}.wsdl`, message: `has no effect here: only the ${wsdlConnector} has WSDL. Remove it` }
    const first = new Map<string, number>()
    for (const [position, triple] of (allow ?? []).entries()) {
      if (!triple?.operation) continue
      const id = idOf(connector, triple as Triple)
      const earlier = first.get(id)
      if (earlier === undefined) first.set(id, position)
      else yield { path: `${path}.allow[${position}]`, message: `repeats allow[${earlier}]: remove one of them` }
    }
  }
}
