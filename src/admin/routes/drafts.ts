/** Drafts of the configuration: edited, validated, compared and activated (specification 18.20 to 18.25). */

import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Configuration } from '../../model/configuration/configuration.ts'
import { diffSteps, summarise } from '../../model/configuration/diff-configurations.ts'
import { addRevision } from '../../project/activate-revision.ts'
import type { Draft } from '../../store/administration/contract.ts'
import {
  etagOfDraft,
  type OpenDraft,
  requireDraft,
  requireManaged,
  requireRevisionConfiguration,
  subjectOf,
  validateDraft,
} from '../draft.ts'
import { inTurn } from '../in-turn.ts'
import type { AdminParts } from '../parts.ts'
import { AdminProblem, notFound } from '../problem-details.ts'
import { requireServed } from '../require-served.ts'
import { route } from '../route.ts'
import { change, cutPage, listNames, name, note, pageOf, problem, sorted, time, toTime } from '../schemas.ts'
import { copy } from './configuration.ts'
import { overtaken, requireForce, wait } from './revisions.ts'

const tag = 'Drafts'
const draft = name(
  'Draft',
  z.object({
    id: z.string(),
    title: z.string(),
    base: z.int().describe('The revision that the draft changes'),
    isOutdated: z.boolean().describe('Whether another revision is active than the base; rebase the draft'),
    version: z.int(),
    created: time,
    createdBy: z.string(),
    changed: time,
    changedBy: z.string(),
  }),
)
const title = z.string().min(1).max(200)
const byDraft = z.object({ draft: z.string() })
const itemProblem = name(
  'DraftProblem',
  z.object({
    ...problem.shape,
    list: z.enum(listNames).optional(),
    item: z.string().optional().describe('The id of the item with the error'),
    field: z.string().optional().describe('The path within the item'),
  }),
)

export const draftRoutes = [
  route({
    operationId: 'listDrafts',
    tag,
    summary: 'List drafts, last changed first',
    method: 'GET',
    path: '/api/drafts',
    access: 'viewer',
    query: sorted,
    answer: pageOf(draft),
    async handle({ parts, query }) {
      const all = await parts.store.administration.drafts.list()
      const active = await parts.store.revisions.active()
      return {
        body: cutPage(
          all.map((each) => describe(each, active?.revision)),
          query,
        ),
      }
    },
  }),
  route({
    operationId: 'createDraft',
    done: 'Created a draft',
    tag,
    summary: 'Create a draft of the active revision',
    method: 'POST',
    path: '/api/drafts',
    access: 'administrator',
    body: name('NewDraft', z.object({ title })),
    example: { title: 'Vacation requests, v2' },
    answer: draft,
    status: 201,
    hasEtag: true,
    problems: ['managedByFiles'],
    async handle({ body, parts, caller, audited }) {
      requireManaged(parts)
      const active = await parts.store.revisions.active()
      if (!active) throw new AdminProblem('conflict', 'No revision is active yet.')
      const id = randomUUID()
      const base = active.revision
      const { administration } = audited({
        subject: subjectOf({ id, title: body.title }),
        after: { title: body.title, base },
      })
      await administration.drafts.add(
        { id, title: body.title, base },
        { by: caller.name, time: Math.floor(parts.now()) },
      )
      return { ...(await answer(id, parts)), location: `/api/drafts/${id}` }
    },
  }),
  route({
    operationId: 'getDraft',
    tag,
    summary: 'Get a draft',
    method: 'GET',
    path: '/api/drafts/:draft',
    access: 'viewer',
    params: byDraft,
    answer: draft,
    hasEtag: true,
    handle: ({ parts, params }) => answer(params.draft, parts),
  }),
  route({
    operationId: 'renameDraft',
    done: 'Renamed a draft',
    tag,
    summary: 'Rename a draft',
    method: 'PATCH',
    path: '/api/drafts/:draft',
    access: 'administrator',
    params: byDraft,
    needsIfMatch: true,
    body: name('DraftChange', z.object({ title })),
    answer: draft,
    hasEtag: true,
    problems: ['managedByFiles'],
    async handle({ params, body, ifMatch, parts, caller, audited }) {
      const opened = await requireSame(params.draft, ifMatch, parts)
      const { administration } = audited({
        subject: subjectOf(opened.draft),
        before: { title: opened.draft.title },
        after: { title: body.title },
      })
      const by = { by: caller.name, time: Math.floor(parts.now()) }
      if (!(await administration.drafts.change(opened.draft, { title: body.title }, by))) throw changedMeanwhile()
      return answer(opened.draft.id, parts)
    },
  }),
  route({
    operationId: 'deleteDraft',
    done: 'Discarded a draft',
    tag,
    summary: 'Discard a draft',
    method: 'DELETE',
    path: '/api/drafts/:draft',
    access: 'administrator',
    params: byDraft,
    needsIfMatch: true,
    problems: ['managedByFiles'],
    async handle({ params, ifMatch, parts, audited }) {
      const { draft } = await requireSame(params.draft, ifMatch, parts)
      const { administration } = audited({
        subject: subjectOf(draft),
        before: { title: draft.title, base: draft.base },
      })
      if (!(await administration.drafts.remove(draft.id, draft.version))) throw changedMeanwhile()
      return {}
    },
  }),
  route({
    operationId: 'validateDraft',
    tag,
    summary: 'List all errors of a draft',
    description: 'The errors that ig check reports, each with its place. Changes nothing.',
    method: 'GET',
    path: '/api/drafts/:draft/problems',
    access: 'viewer',
    params: byDraft,
    answer: name('Validation', z.object({ isValid: z.boolean(), problems: z.array(itemProblem) })),
    problems: ['overloaded', 'managedByFiles'],
    async handle({ parts, params }) {
      const validation = await validateDraft(await requireDraft(params.draft, parts), parts)
      const problems = 'problems' in validation ? [...validation.problems] : []
      return { body: { isValid: problems.length === 0, problems } }
    },
  }),
  route({
    operationId: 'diffDraft',
    tag,
    summary: 'List the changes that activating the draft makes',
    description:
      "Compared with the active revision. The ETag is the draft's; send it to activate exactly these changes.",
    method: 'GET',
    path: '/api/drafts/:draft/changes',
    access: 'viewer',
    params: byDraft,
    answer: name('DraftChanges', z.object({ active: z.int(), base: z.int(), changes: z.array(change) })),
    hasEtag: true,
    problems: ['overloaded', 'managedByFiles', 'invalidConfiguration'],
    async handle({ parts, params }) {
      const opened = await requireDraft(params.draft, parts)
      const after = await requireValid(opened, parts)
      const active = (await parts.store.revisions.active())?.revision ?? opened.draft.base
      const changes = await inTurn(diffSteps(await requireRevisionConfiguration(active, parts), after))
      return { body: { active, base: opened.draft.base, changes: copy(changes) }, etag: etagOfDraft(opened.draft) }
    },
  }),
  route({
    operationId: 'rebaseDraft',
    done: 'Rebased a draft',
    tag,
    summary: 'Rebase a draft on the active revision',
    description:
      "Keeps all edits of the draft. Lists the items changed on both sides: the draft's version applies unless it is reverted.",
    method: 'POST',
    path: '/api/drafts/:draft/rebase',
    access: 'administrator',
    params: byDraft,
    needsIfMatch: true,
    answer: name(
      'Rebase',
      z.object({ base: z.int(), conflicts: z.array(z.object({ list: z.enum(listNames), id: z.string() })) }),
    ),
    hasEtag: true,
    problems: ['overloaded', 'managedByFiles'],
    async handle({ params, ifMatch, parts, caller, audited }) {
      const opened = await requireSame(params.draft, ifMatch, parts)
      const base = (await parts.store.revisions.active())?.revision ?? opened.draft.base
      const conflicts = await findConflicts(opened, base, parts)
      const { administration } = audited({
        subject: subjectOf(opened.draft),
        before: { base: opened.draft.base },
        after: { base, conflicts },
      })
      const by = { by: caller.name, time: Math.floor(parts.now()) }
      if (!(await administration.drafts.change(opened.draft, { base }, by))) throw changedMeanwhile()
      const { draft } = await requireDraft(params.draft, parts)
      return { body: { base, conflicts }, etag: etagOfDraft(draft) }
    },
  }),
  route({
    operationId: 'activateDraft',
    done: 'Activated a draft',
    tag,
    summary: 'Activate a draft as the next revision',
    description:
      'The revision is active on all instances within a second, and the draft is deleted. If a process cannot serve it, the previous revision is activated again, the draft is kept, and the error is notServed. Changes that remove URLs of clients require force.',
    method: 'POST',
    path: '/api/drafts/:draft/activate',
    access: 'administrator',
    params: byDraft,
    needsIfMatch: true,
    body: name('DraftActivation', z.object({ note, force: z.boolean().default(false), wait })),
    example: { note: 'Vacation requests, v2' },
    answer: name('MadeRevision', z.object({ revision: z.int(), changes: z.array(change) })),
    problems: [
      ...(['overloaded', 'managedByFiles', 'baseOutdated', 'invalidConfiguration', 'clientsLose', 'conflict'] as const),
      'notServed',
    ],
    async handle({ params, body, ifMatch, parts, caller, audited }) {
      const opened = await requireSame(params.draft, ifMatch, parts)
      const { id, base, title, version } = opened.draft
      const active = (await parts.store.revisions.active())?.revision
      if (active !== base)
        throw new AdminProblem(
          'baseOutdated',
          `The draft is based on revision ${base}, but revision ${active} is active. Rebase the draft.`,
        )
      const after = await requireValid(opened, parts)
      await requireSame(id, ifMatch, parts) // the version that was read is the one the caller saw
      const changes = await inTurn(diffSteps(opened.base, after))
      if (changes.length === 0)
        throw new AdminProblem('conflict', 'The draft does not differ from the active revision.')
      requireForce(changes, body.force)
      const noteOf = body.note || title
      const { revisions } = audited((result) => {
        const { activation } = result as { activation: { revision: number } }
        return {
          subject: `revision ${activation.revision}`,
          before: { revision: base },
          after: { revision: activation.revision, draft: id, title, note: noteOf, ...summarise(changes) },
        }
      })
      const outcome = await addRevision(revisions, after, {
        expectedActive: base,
        note: noteOf,
        author: caller.name,
        time: parts.now(),
      })
      if ('activeInstead' in outcome) throw overtaken(outcome.activeInstead)
      await requireServed(outcome.activation, base, body.wait, { parts, audited })
      await parts.store.administration.drafts.remove(id, version) // a concurrent edit keeps it
      return { body: { revision: outcome.activation.revision, changes: copy(changes) } }
    },
  }),
]

export async function requireValid(opened: OpenDraft, parts: AdminParts): Promise<Configuration> {
  const validation = await validateDraft(opened, parts)
  if ('configuration' in validation) return validation.configuration
  const { problems } = validation
  throw new AdminProblem(
    'invalidConfiguration',
    `The draft has ${problems.length === 1 ? 'an error' : `${problems.length} errors`}.`,
    { problems },
  )
}

async function requireSame(id: string, ifMatch: string, parts: AdminParts): Promise<OpenDraft> {
  const opened = await requireDraft(id, parts)
  if (etagOfDraft(opened.draft) !== ifMatch) throw changedMeanwhile()
  return opened
}

/** The draft's items that changed between its base and another revision. */
async function findConflicts({ draft, base }: OpenDraft, other: number, parts: AdminParts) {
  const changes = await inTurn(diffSteps(base, await requireRevisionConfiguration(other, parts)))
  const changed = new Set(changes.map(({ list, id }) => `${list} ${id}`))
  const edits = await parts.store.administration.drafts.edits(draft.id)
  return edits.filter(({ list, item }) => changed.has(`${list} ${item}`)).map(({ list, item }) => ({ list, id: item }))
}

async function answer(id: string, parts: AdminParts) {
  const found = await parts.store.administration.drafts.find(id)
  if (!found) throw notFound(`draft ${id}`)
  const active = await parts.store.revisions.active()
  return { body: describe(found, active?.revision), etag: etagOfDraft(found) }
}

function describe(found: Draft, active: number | undefined) {
  const { created, changed, ...rest } = found
  return { ...rest, isOutdated: found.base !== active, created: toTime(created), changed: toTime(changed) }
}

function changedMeanwhile(): AdminProblem {
  return new AdminProblem('preconditionFailed', 'Someone else changed the draft. Read it again.')
}
