/** Test calls as any operator, with the decision of each step (specification 15.1, 19.11), also of a draft (41). */
import { z } from 'zod'
import { AdminProblem, notFound } from '../../actions/problem-details.ts'
import { decision, name } from '../../actions/schemas.ts'
import { readAddress } from '../../base/address-list.ts'
import { strictObject } from '../../configuration/schema.ts'
import { holdBody } from '../../explain/hold-body.ts'
import { impersonate } from '../../explain/impersonate.ts'
import { compileTrial, openTrial } from '../../explain/open-trial.ts'
import { decodeBeginning, readBeginning } from '../../explain/read-beginning.ts'
import { decisionsOf } from '../../explain/recall-decisions.ts'
import { answer, type Gateway } from '../../gateway.ts'
import { findArrival } from '../../model/arrival.ts'
import { type Call, listHeaders } from '../../model/call.ts'
import type { AnsweredCall, ReadableParts } from '../../model/call-record.ts'
import type { Observation, Observe } from '../../model/observation.ts'
import { methods } from '../../model/operation-terms.ts'
import { maskings } from '../../observe/masking/masking.ts'
import { redactProse } from '../../observe/masking/redact.ts'
import { findOperation } from '../../steps/find-operation.ts'
import { forTrial } from '../../steps/handler/shared-parts.ts'
import { readTarget } from '../../steps/read-target.ts'
import { requireDraft, requireManaged, subjectOf } from '../draft.ts'
import { inTurn } from '../in-turn.ts'
import type { AdminParts } from '../parts.ts'
import { route } from '../route.ts'
import { requireValid } from './drafts/draft-answer.ts'

const header = strictObject({
  name: z.string().regex(/^[\w!#$%&'*+.^`|~-]{1,100}$/, 'must be the name of a header'),
  value: z.string().regex(/^[\t\x20-\x7e\x80-\xff]{0,8000}$/, 'must be the value of a header, on one line'),
}).unwrap()
const trial = name(
  'Trial',
  z.object({
    method: z.enum([...methods, 'OPTIONS']),
    path: z
      .string()
      .min(1)
      .max(64 * 1024)
      .describe('The URL from the operation on: /ECHO.v1/echo/x'),
    operator: z.string().nullable().default(null).describe('The operator to call as; null: without credentials'),
    isSecure: z.boolean().default(false).describe('Treats the call as if it came over TLS'),
    from: z
      .string()
      .refine((text) => readAddress(text) !== undefined, 'must be an address, such as 192.0.2.7')
      .default('127.0.0.1')
      .describe('Treats the call as if this address had connected; if it is a trusted proxy, its headers are used'),
    headers: z.array(header).max(100).default([]),
    body: z.string().default(''),
  }),
)
/** Maximum size of a body in the response; more is not readable in a browser. */
const shownBytes = 256 * 1024

const tried = name(
  'Tried',
  z.object({
    status: z.int(),
    headers: z.array(header),
    body: z.string().describe('Truncated if it is long'),
    size: z.int().describe('Size of the body in bytes; of a stream, the bytes that were read'),
    isText: z.boolean().describe('If false, the body is base64'),
    transactionId: z.string(),
    decisions: z.array(decision),
    notes: z.array(z.object({ level: z.string(), message: z.string() })),
  }),
)

export const tryRoutes = [
  route({
    operationId: 'tryCall',
    done: 'Made a test call',
    tag: 'Operations',
    summary: 'Call an operation as any operator, with the decision of each step',
    description:
      "A real call in this process, through all steps of a call over HTTP: the handler's changes are stored.",
    method: 'POST',
    path: '/api/try',
    access: 'administrator',
    body: trial,
    example: { method: 'GET', path: '/ECHO.v1/echo/x', operator: 'KIM' },
    answer: tried,
    problems: ['notFound'],
    handle: ({ body, parts, audit }) => {
      const asked = (observe: Observe) => forTrial({ ...parts.gateway, observe })
      return attempt(body, parts, asked, (subject) => audit({ subject, after: { operator: body.operator } }))
    },
  }),
  route({
    operationId: 'tryDraft',
    done: 'Tried a draft',
    tag: 'Drafts',
    summary: 'Call an operation of a draft as any operator, with the decision of each step',
    description:
      'As tryCall, with the configuration of the draft, and nothing is stored: what the handler writes to the database is rolled back. What it does elsewhere is done; notes name calls with context.fetch and resources. Handlers that this process has not loaded, and passThrough, are answered 501.',
    method: 'POST',
    path: '/api/drafts/:draft/try',
    access: 'administrator',
    params: z.object({ draft: z.string() }),
    body: trial,
    example: { method: 'GET', path: '/ECHO.v1/echo/x', operator: 'KIM' },
    answer: tried,
    problems: ['notFound', 'overloaded', 'managedByFiles', 'invalidConfiguration'],
    async handle({ body, params, parts, audit }) {
      const { handlers } = requireManaged(parts)
      const opened = await requireDraft(params.draft, parts)
      const after = await requireValid(opened, parts)
      const catalog = await inTurn(compileTrial(after, await handlers.forTrial(after)))
      let outside: ReadonlySet<string> = new Set()
      const asked = (observe: Observe) => {
        const opening = openTrial(parts.gateway, catalog, observe)
        outside = opening.outside
        return opening.gateway
      }
      const record = (subject: string) =>
        audit({ subject: `${subjectOf(opened.draft)} ${subject}`, after: { operator: body.operator } })
      const answered = await attempt(body, parts, asked, record, opened.draft.title)
      const notes = [...outside].map((what) => `The handler ${what}: the rollback does not undo this.`)
      answered.body.notes.push(...notes.map((message) => ({ level: 'warning', message })))
      return answered
    },
  }),
]

/**
 * @param open the pipeline that answers
 * @param record writes the audit entry, before the call
 * @param draft its title, if it is tried
 */
async function attempt(
  body: z.output<typeof trial>,
  parts: AdminParts,
  open: (observe: Observe) => Gateway,
  record: (subject: string) => Promise<void>,
  draft?: string,
): Promise<{ readonly body: z.output<typeof tried> }> {
  const observations: Observation[] = []
  const asked = ask(
    body,
    parts.settings,
    open((observation) => void observations.push(observation)),
  )
  const masking = maskings[parts.settings.log.masking]
  const url = masking.url(asked.call.target, findKnown(asked)).replace(/^(?:\/[^/]*){3}(?=\/)/, '')
  await record(`${body.method} ${url}`.slice(0, 1000))
  const reply = await answer(asked.call, asked.gateway)
  const bytes = body.method === 'HEAD' ? Buffer.alloc(0) : await readBeginning(reply.body, shownBytes)
  for (const observation of observations)
    parts.observe(
      draft !== undefined && observation.kind === 'answered' ? { ...observation, trial: draft } : observation,
    )
  const answered = observations.find(({ kind }) => kind === 'answered') as AnsweredCall
  const text = decodeBeginning(bytes, shownBytes)
  const namedBy = body.operator === null ? undefined : 'chosen for this trial'
  const reason = answered.refusal && redactProse(answered.refusal.message)
  return {
    body: {
      status: reply.status,
      headers: listHeaders(reply).map(([name, value]) => ({ name, value })),
      body: text ?? bytes.toString('base64'),
      size: answered.streamed?.bytes ?? reply.body.file?.size ?? reply.body.bytes.length,
      isText: text !== undefined,
      transactionId: answered.transaction.id,
      decisions: decisionsOf(answered, asked.gateway, namedBy, reason).map(({ details, ...rest }) => ({
        ...rest,
        ...(details && { details: [...details] }),
      })),
      notes: observations
        .filter((observation) => observation.kind === 'note')
        .map(({ level, message }) => ({ level, message: redactProse(message) })),
    },
  }
}

function ask(
  { method, path, operator, isSecure, from, headers, body }: z.output<typeof trial>,
  settings: AdminParts['settings'],
  gateway: Gateway,
) {
  const bytes = Buffer.from(body)
  const encoded = path.toWellFormed().replace(/[^\x21-\x7e]/gu, encodeURIComponent)
  const rooted = encoded.startsWith('/') ? encoded : `/${encoded}`
  const written = {
    host: 'localhost',
    ...Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), value.trim()])),
    ...(bytes.length > 0 && { 'content-length': String(bytes.length) }),
  }
  const peer = { remoteAddress: readAddress(from) ?? from, isSecure }
  const { host = written.host, ...arrival } = findArrival(written, peer, settings.proxies)
  const call: Call = {
    method,
    target: `/${settings.gatewayPath}/RESTListeningConnector/${gateway.catalog.defaultNode}${rooted}`,
    headers: { ...written, host },
    ...arrival,
    signal: new AbortController().signal,
    readBody: (limit = Infinity) => holdBody(bytes, Math.min(limit, settings.limits.maxBodyBytes)),
  }
  if (operator === null) return { call, gateway }
  if (call.headers.authorization !== undefined)
    throw new AdminProblem('invalid', 'Choose an operator, or send an authorization header, not both.')
  const found = gateway.operators.get(operator)
  if (!found) throw notFound(`operator ${operator}`)
  return impersonate(call, found, gateway)
}

/** What its URL names, for the audit. */
function findKnown({ call, gateway }: { readonly call: Call; readonly gateway: Gateway }): ReadableParts {
  const { catalog } = gateway
  try {
    const target = readTarget(call, catalog, gateway)
    const operation = target.kind === 'operation' ? findOperation(target, call.method, catalog, gateway) : undefined
    return { operation, templateIndex: undefined, hasTarget: operation !== undefined }
  } catch {
    return { operation: undefined, templateIndex: undefined, hasTarget: false } // it is refused
  }
}
