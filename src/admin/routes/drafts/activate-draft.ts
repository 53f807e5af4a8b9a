/** A draft is rebased on the active revision, and becomes the next one (specification 18.23, 18.24). */
import { z } from 'zod'
import { AdminProblem } from '../../../actions/problem-details.ts'
import { change, listNames, name, note } from '../../../actions/schemas.ts'
import { diffSteps, summarise } from '../../../configuration/diff-configurations.ts'
import { addRevision } from '../../../project/activate-revision.ts'
import { etagOfDraft, type OpenDraft, requireDraft, requireRevisionConfiguration, subjectOf } from '../../draft.ts'
import { inTurn } from '../../in-turn.ts'
import type { AdminParts } from '../../parts.ts'
import { requireServed } from '../../require-served.ts'
import { route } from '../../route.ts'
import { overtaken, requireForce, wait } from '../activations.ts'
import { byDraft, changedMeanwhile, requireSame, requireValid, tag } from './draft-answer.ts'

export const draftActivationRoutes = [
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
      return { body: { revision: outcome.activation.revision, changes } }
    },
  }),
]

/** The draft's items that changed between its base and another revision. */
async function findConflicts({ draft, base }: OpenDraft, other: number, parts: AdminParts) {
  const changes = await inTurn(diffSteps(base, await requireRevisionConfiguration(other, parts)))
  const changed = new Set(changes.map(({ list, id }) => `${list} ${id}`))
  const edits = await parts.store.administration.drafts.edits(draft.id)
  return edits.filter(({ list, item }) => changed.has(`${list} ${item}`)).map(({ list, item }) => ({ list, id: item }))
}
