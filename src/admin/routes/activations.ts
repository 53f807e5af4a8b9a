/** Activations: listed, and made by applying a configuration or an earlier revision (specification 13, 18.24, 18.25). */
import { z } from 'zod'
import { type ActionParts, action } from '../../actions/action.ts'
import { AdminProblem } from '../../actions/problem-details.ts'
import { change, cutPage, name, note, pageOf, sorted, time, toTime } from '../../actions/schemas.ts'
import type { Configuration } from '../../configuration/configuration.ts'
import { type Change, diffSteps, noConfiguration, summarise } from '../../configuration/diff-configurations.ts'
import { parseSteps } from '../../configuration/parse-configuration.ts'
import type { Activation } from '../../configuration/revision.ts'
import { addRevision, checkServable } from '../../project/activate-revision.ts'
import { requireManaged, requireRevisionConfiguration } from '../draft.ts'
import { configurationLimit } from '../hold-request.ts'
import { inTurn } from '../in-turn.ts'
import { requireServed } from '../require-served.ts'
import { toSeconds } from './revisions.ts'

const tag = 'Revisions'
const activation = name('Activation', z.object({ sequence: z.int(), revision: z.int(), time, note: z.string() }))
const serving = z
  .int()
  .optional()
  .describe('How many processes serve it; absent if nothing was activated, or nothing was waited for')

/** The `wait` of an activation. */
export const wait = z
  .union([z.boolean(), z.int().min(1).max(120)])
  .default(true)
  .describe('Seconds (true: 10) until every process must serve the revision; otherwise it is rolled back')

export const activationRoutes = [
  action({
    operationId: 'listActivations',
    tag,
    summary: 'List activations, newest first',
    method: 'GET',
    path: '/api/activations',
    access: 'viewer',
    commandLine: {
      verb: 'revision list-activations',
      columns: { ACTIVATED: ({ time }) => toSeconds(time), REVISION: 'revision', NOTE: 'note' },
      empty: 'There is no revision yet. Create the first: ig apply <project>',
    },
    query: sorted,
    answer: pageOf(activation),
    async handle({ parts, query }) {
      const page = cutPage(await parts.store.revisions.activations(), query)
      return { body: { ...page, items: page.items.map(describe) } }
    },
  }),
  action({
    operationId: 'getActivation',
    tag,
    summary: 'Get the active revision',
    method: 'GET',
    path: '/api/activation',
    access: 'viewer',
    answer: activation,
    hasEtag: true,
    problems: ['managedByFiles'],
    async handle({ parts }) {
      requireManaged(parts)
      const active = await parts.store.revisions.active()
      if (!active) throw new AdminProblem('notFound', 'No revision is active.')
      return { body: describe(active), etag: etagOf(active.revision) }
    },
  }),
  action({
    operationId: 'applyConfiguration',
    done: 'Activated a configuration',
    tag,
    summary: 'Activate a whole configuration as the next revision',
    description:
      'The request of ig apply: all of it becomes active, or nothing. A configuration equal to the active revision creates no revision. If a process cannot serve it, the previous revision is activated again, and the error is notServed. Changes that remove URLs of clients require force. With dryRun everything is checked and nothing is changed.',
    method: 'PUT',
    path: '/api/configuration',
    access: 'administrator',
    needsIfMatch: true,
    bodyLimit: configurationLimit,
    body: name(
      'ConfigurationRequest',
      z.object({
        configuration: z
          .looseObject({})
          .describe('As ig revision export --json prints it; default values may be left out'),
        note,
        force: z.boolean().default(false),
        dryRun: z.boolean().default(false),
        wait,
      }),
    ),
    example: { configuration: { nodes: [], services: [], operations: [] }, note: 'Vacation requests, v2' },
    answer: name(
      'AppliedConfiguration',
      z.object({
        revision: z.int().describe('The active revision; 0 if there is none yet'),
        isActivated: z.boolean().describe('Whether this request activated it'),
        changes: z.array(change),
        serving,
      }),
    ),
    hasEtag: true,
    problems: ['overloaded', 'managedByFiles', 'invalidConfiguration', 'clientsLose', 'notServed'],
    async handle({ body, ifMatch, parts, caller, audited }) {
      requireManaged(parts)
      const active = (await parts.store.revisions.active())?.revision
      if (ifMatch !== etagOf(active)) throw overtaken(active)
      const before = active === undefined ? noConfiguration : await requireRevisionConfiguration(active, parts)
      const after = await requireServable('The configuration', body.configuration, before, parts)
      const changes = await inTurn(diffSteps(before, after))
      requireForce(changes, body.force)
      const unchanged = { revision: active ?? 0, isActivated: false, changes }
      if ((active && changes.length === 0) || body.dryRun) return { body: unchanged, etag: ifMatch }
      const { revisions } = audited((result) => {
        const { revision } = (result as { readonly activation: Activation }).activation
        const facts = { revision, note: body.note, ...summarise(changes) }
        return { subject: `revision ${revision}`, before: { revision: active }, after: facts }
      })
      const options = { expectedActive: active, note: body.note, author: caller.name, time: parts.now() }
      const outcome = await addRevision(revisions, after, options)
      if ('activeInstead' in outcome) throw overtaken(outcome.activeInstead)
      const serving = await requireServed(outcome.activation, active, body.wait, { parts, audited })
      const { revision } = outcome.activation
      return { body: { ...unchanged, revision, isActivated: true, serving }, etag: etagOf(revision) }
    },
  }),
  action({
    operationId: 'activateRevision',
    done: 'Activated a revision',
    tag,
    summary: 'Roll back to an earlier revision, which keeps its number',
    description:
      'The revision is active on all instances within a second. If a process cannot serve it, the previous revision is activated again, and the error is notServed. Changes that remove URLs of clients require force. With dryRun everything is checked and nothing is changed. If it is the active one, nothing is changed.',
    method: 'PUT',
    path: '/api/activation',
    access: 'administrator',
    needsIfMatch: true,
    body: name(
      'ActivationRequest',
      z.object({
        revision: z.int().min(1),
        note,
        force: z.boolean().default(false),
        dryRun: z.boolean().default(false),
        wait,
      }),
    ),
    example: { revision: 3, note: 'back to what worked' },
    answer: name('ActivatedRevision', activation.extend({ serving })),
    hasEtag: true,
    problems: ['overloaded', 'managedByFiles', 'notFound', 'invalidConfiguration', 'clientsLose', 'notServed'],
    async handle({ body, ifMatch, parts, audited }) {
      requireManaged(parts)
      const active = await parts.store.revisions.active()
      if (!active || ifMatch !== etagOf(active.revision)) throw overtaken(active?.revision)
      if (body.revision === active.revision) return { body: describe(active), etag: ifMatch }
      const before = await requireRevisionConfiguration(active.revision, parts)
      const stored = await requireRevisionConfiguration(body.revision, parts)
      const after = await requireServable(`Revision ${body.revision}`, stored, before, parts)
      const changes = await inTurn(diffSteps(before, after))
      requireForce(changes, body.force)
      if (body.dryRun) return { body: describe(active), etag: ifMatch }
      const { revisions } = audited({
        subject: `revision ${body.revision}`,
        before: { revision: active.revision },
        after: { revision: body.revision, note: body.note, ...summarise(changes) },
      })
      const options = { expectedActive: active.revision, note: body.note, time: Math.floor(parts.now()) }
      const outcome = await revisions.activate(body.revision, options)
      if ('activeInstead' in outcome) throw overtaken(outcome.activeInstead)
      const serving = await requireServed(outcome.activation, active.revision, body.wait, { parts, audited })
      return { body: { ...describe(outcome.activation), serving }, etag: etagOf(body.revision) }
    },
  }),
]

/** @param what what cannot be served, for the message @throws AdminProblem `managedByFiles`, `invalidConfiguration` */
async function requireServable(
  what: string,
  input: unknown,
  before: Configuration,
  parts: ActionParts,
): Promise<Configuration> {
  const checks = { ...requireManaged(parts), settings: parts.settings }
  const parsed = await inTurn(parseSteps(input))
  const problems = 'problems' in parsed ? parsed.problems : await checkServable(parsed.configuration, before, checks)
  if ('configuration' in parsed && problems.length === 0) return parsed.configuration
  throw new AdminProblem('invalidConfiguration', `${what} cannot be served here.`, { problems })
}

/** The ETag of the active revision is `revision-0` while there is none. */
function etagOf(revision = 0): string {
  return `revision-${revision}`
}

export function overtaken(active: number | undefined): AdminProblem {
  return new AdminProblem(
    'preconditionFailed',
    active === undefined
      ? 'No revision is active now. Try again.'
      : `Revision ${active} is active now. Check its changes and try again.`,
  )
}

/** @throws AdminProblem `clientsLose` */
export function requireForce(changes: readonly Change[], force: boolean): void {
  const broken = changes.filter(({ breaks }) => breaks !== undefined)
  if (force || broken.length === 0) return
  const problems = broken.map(({ id, breaks = '' }) => ({ path: id, message: breaks }))
  throw new AdminProblem('clientsLose', 'To activate it anyway, use force.', { problems })
}

function describe({ sequence, revision, time: at, note }: Activation) {
  return { sequence, revision, time: toTime(at), note }
}
