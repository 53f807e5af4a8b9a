/** Drafts of the configuration: edited, validated and compared (specification 18.20 to 18.23). */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { AdminProblem } from '../../../actions/problem-details.ts'
import { change, cutPage, listNames, name, pageOf, problem, sorted } from '../../../actions/schemas.ts'
import { diffSteps } from '../../../configuration/diff-configurations.ts'
import {
  etagOfDraft,
  requireDraft,
  requireManaged,
  requireRevisionConfiguration,
  subjectOf,
  validateDraft,
} from '../../draft.ts'
import { inTurn } from '../../in-turn.ts'
import { route } from '../../route.ts'
import { shown } from '../configuration.ts'
import { answer, byDraft, changedMeanwhile, describe, draft, requireSame, requireValid, tag } from './draft-answer.ts'

const title = z.string().min(1).max(200)
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
      const changes = await inTurn(diffSteps(await requireRevisionConfiguration(active, parts), after, shown))
      return { body: { active, base: opened.draft.base, changes }, etag: etagOfDraft(opened.draft) }
    },
  }),
]
