/** Revisions: read and compare (specification 13.1, 13.3). */

import { z } from 'zod'
import { action } from '../../actions/action.ts'
import { notFound } from '../../actions/problem-details.ts'
import { change, cutPage, name, pageOf, sorted, time, toTime } from '../../actions/schemas.ts'
import { configurationSchema } from '../../configuration/configuration.ts'
import { diffSteps } from '../../configuration/diff-configurations.ts'
import type { Activation, RevisionSummary } from '../../configuration/revision.ts'
import { revertedNote } from '../../project/confirm-activation.ts'
import { requireRevisionConfiguration } from '../draft.ts'
import { inTurn } from '../in-turn.ts'
import { shown } from './configuration.ts'

const tag = 'Revisions'
const author = z.string().nullable().describe('Null if it is not known')
const revision = name(
  'Revision',
  z.object({
    number: z.int(),
    created: time,
    activated: time.describe('The last time'),
    state: z.enum(['active', 'former', 'refused']).describe('refused: its last activation was reverted'),
    note: z.string(),
    author,
    digest: z.string(),
    isActive: z.boolean(),
  }),
)
const byNumber = z.object({ number: z.coerce.number().int().min(1) })
const byNumberOrActive = z.object({
  number: z
    .string()
    .regex(/^(?:active|[1-9]\d{0,14})$/, 'must be the number of a revision, or active')
    .describe('Number of the revision, or active'),
})

export const revisionRoutes = [
  action({
    operationId: 'listRevisions',
    tag,
    summary: 'List revisions, newest first',
    method: 'GET',
    path: '/api/revisions',
    access: 'viewer',
    commandLine: {
      verb: 'revision list',
      columns: {
        REVISION: 'number',
        MADE: ({ created }) => toSeconds(created),
        ACTIVATED: ({ activated }) => toSeconds(activated),
        STATE: 'state',
        AUTHOR: 'author',
        NOTE: 'note',
      },
      empty: 'There is no revision yet. Create the first: ig apply <project>',
    },
    query: sorted,
    answer: pageOf(revision),
    async handle({ parts, query }) {
      const { revisions } = parts.store
      const [all, activations] = await Promise.all([revisions.list(), revisions.activations()])
      const page = cutPage(all, query)
      return { body: { ...page, items: page.items.map(describeBy(activations)) } }
    },
  }),
  action({
    operationId: 'getRevision',
    tag,
    summary: 'Get a revision without its configuration',
    method: 'GET',
    path: '/api/revisions/:number',
    access: 'viewer',
    commandLine: { verb: 'revision show', args: ['number'] },
    params: byNumberOrActive,
    answer: revision,
    async handle({ parts, params: { number } }) {
      const { revisions } = parts.store
      const [all, activations] = await Promise.all([revisions.list(), revisions.activations()])
      const wanted = number === 'active' ? activations[0]?.revision : Number(number)
      const found = all.find((each) => each.number === wanted)
      if (!found) throw notFound(`revision ${number}`)
      return { body: describeBy(activations)(found) }
    },
  }),
  action({
    operationId: 'getRevisionConfiguration',
    tag,
    summary: 'Get the complete configuration of a revision',
    method: 'GET',
    path: '/api/revisions/:number/configuration',
    access: 'viewer',
    params: byNumber,
    answer: name('Configuration', configurationSchema),
    hasEtag: true,
    async handle({ parts, params }) {
      const configuration = await requireRevisionConfiguration(params.number, parts)
      return { body: configuration, etag: `revision-${params.number}` }
    },
  }),
  action({
    operationId: 'diffRevisions',
    tag,
    summary: 'List the changes from one revision to another',
    method: 'GET',
    path: '/api/revisions/:number/changes',
    access: 'viewer',
    params: byNumber,
    query: z.object({ from: z.coerce.number().int().min(1) }),
    answer: name('Changes', z.object({ from: z.int(), to: z.int(), changes: z.array(change) })),
    problems: ['overloaded'],
    async handle({ parts, params, query }) {
      const before = await requireRevisionConfiguration(query.from, parts)
      const after = await requireRevisionConfiguration(params.number, parts)
      return {
        body: { from: query.from, to: params.number, changes: await inTurn(diffSteps(before, after, shown)) },
      }
    },
  }),
]

/** @param activations the newest first */
function describeBy(activations: readonly Activation[]) {
  const places = new Map(activations.map(({ revision }, index) => [revision, index] as const).toReversed())
  return ({ number, created, note, author, digest }: RevisionSummary) => {
    const place = places.get(number) ?? activations.length
    const isActive = place === 0
    const isRefused = activations[place - 1]?.note === revertedNote(number)
    const state = isActive ? ('active' as const) : isRefused ? ('refused' as const) : ('former' as const)
    const activated = toTime(activations[place]?.time ?? created)
    return { number, created: toTime(created), activated, state, note, author, digest, isActive }
  }
}

/** `2026-11-21 10:41:05Z` */
export function toSeconds(time: string): string {
  return time.replace('T', ' ').replace(/\.\d+/, '')
}
