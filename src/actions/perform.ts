/**
 * Performs an action: reads its input, runs it with its audit entry, and answers with what its schema has. The
 * administration API and `ig` use it, so that both mean the same (specification 18.13).
 */
import { readIssues } from '../configuration/schema.ts'
import type { NewAuditEntry } from '../store/administration/contract.ts'
import type { Action, ActionParts, Answer, AuditedChange, Input, Shape } from './action.ts'
import { AdminProblem } from './problem-details.ts'
import { strict } from './strict-input.ts'

/** What a caller sends, unread. */
export interface ActionRequest extends Omit<Input<unknown, unknown, unknown>, 'ifMatch' | 'parts' | AuditMember> {
  /** The header, with its quotation marks. */
  readonly ifMatch: string | undefined
}

type AuditMember = 'audited' | 'audit'

/** @throws AdminProblem */
export async function perform<Parts extends ActionParts>(
  action: Action<Shape, Shape, Shape, Shape, Parts>,
  request: ActionRequest,
  parts: Parts,
): Promise<Answer<unknown>> {
  const { caller, address } = request
  const { store } = parts
  if (action.needsSession && !caller.isLocal && !caller.session)
    throw new AdminProblem('sessionRequired', 'Sign in with name and password.')
  const entryOf = ({ actor = caller.name, ...change }: AuditedChange): NewAuditEntry => ({
    time: parts.now(),
    actor,
    via: caller.via || 'sign-in',
    address,
    action: action.operationId,
    ...change,
  })
  const answer = await action.handle({
    ...request,
    ...parseInput(action, request),
    ifMatch: readIfMatch(action, request.ifMatch),
    parts,
    audited: (change) => store.audited((result) => entryOf(typeof change === 'function' ? change(result) : change)),
    audit: async (change) => void (await store.administration.audit.append(entryOf(change))),
  })
  // Removes members that the schema does not have
  return action.answer ? { ...answer, body: action.answer.parse(answer.body) } : answer
}

/** JSON escapes that not every database stores; an escaped backslash before them makes them plain text. */
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f]..)/

/** @throws AdminProblem with all errors of a place, and with each member that the action does not have */
export function parseInput(
  { params, query, body }: Pick<Action, 'params' | 'query' | 'body'>,
  request: Pick<ActionRequest, 'params' | 'query' | 'body'>,
) {
  return {
    params: params ? parse(params, request.params, 'path') : {},
    query: parse(strict(query), request.query, 'query'),
    body: parse(strict(body), body ? request.body : (request.body ?? {}), 'body'),
  }
}

function parse(schema: Shape, input: unknown, place: string): unknown {
  if (unstorable.test(JSON.stringify(input) ?? ''))
    throw new AdminProblem('invalid', `The ${place} has a NUL character, or half of a surrogate pair. Leave it out.`)
  const { success, data, error } = schema.safeParse(input)
  if (success) return data
  const problems = readIssues(error.issues, input, [], place)
  throw new AdminProblem('invalid', `The ${place} has ${problems.length === 1 ? 'an error' : 'errors'}.`, { problems })
}

function readIfMatch({ needsIfMatch }: Pick<Action, 'needsIfMatch'>, header: string | undefined): string {
  if (!needsIfMatch) return ''
  const [, etag] = /^"([^"]*)"$/.exec(header ?? '') ?? []
  if (header === undefined)
    throw new AdminProblem('preconditionRequired', 'Read the resource first and send its ETag in If-Match.')
  if (etag === undefined) throw new AdminProblem('preconditionFailed', 'If-Match must be one ETag in quotation marks.')
  return etag
}
