/** How a draft is answered, and how the routes require one (specification 18.17, 18.20). */
import { z } from 'zod'
import { AdminProblem, notFound } from '../../../actions/problem-details.ts'
import { name, time, toTime } from '../../../actions/schemas.ts'
import type { Configuration } from '../../../configuration/configuration.ts'
import type { Draft } from '../../../store/administration/contract.ts'
import { etagOfDraft, type OpenDraft, requireDraft, validateDraft } from '../../draft.ts'
import type { AdminParts } from '../../parts.ts'

export const tag = 'Drafts'
export const draft = name(
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
export const byDraft = z.object({ draft: z.string() })

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

export async function requireSame(id: string, ifMatch: string, parts: AdminParts): Promise<OpenDraft> {
  const opened = await requireDraft(id, parts)
  if (etagOfDraft(opened.draft) !== ifMatch) throw changedMeanwhile()
  return opened
}

export async function answer(id: string, parts: AdminParts) {
  const found = await parts.store.administration.drafts.find(id)
  if (!found) throw notFound(`draft ${id}`)
  const active = await parts.store.revisions.active()
  return { body: describe(found, active?.revision), etag: etagOfDraft(found) }
}

export function describe(found: Draft, active: number | undefined) {
  const { created, changed, ...rest } = found
  return { ...rest, isOutdated: found.base !== active, created: toTime(created), changed: toTime(changed) }
}

export function changedMeanwhile(): AdminProblem {
  return new AdminProblem('preconditionFailed', 'Someone else changed the draft. Read it again.')
}
