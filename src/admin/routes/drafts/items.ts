/** The items of a draft, one at a time, so that administrators conflict only on the same item (specification 18.21). */
import { z } from 'zod'
import { cutPage, flag, type ListKey, listNames, lists, pageOf, sorted } from '../../../actions/schemas.ts'
import { listNouns } from '../../../configuration/list-nouns.ts'
import { findItem, listItems, requireDraft } from '../../draft.ts'
import { type Route, route } from '../../route.ts'
import { byDraft } from './draft-answer.ts'
import { add, answer, describe, edit, requireEditable, requireItem, store } from './edit-item.ts'
import { answerOf, bodyOf, examples } from './item-schemas.ts'

const byItem = z.object({ draft: z.string(), id: z.string().min(1).max(200) })
const query = sorted.extend({
  search: z.string().optional().describe('Part of the id, case-insensitive'),
  isEdited: flag.optional().describe('true: only items that differ from the base; false: only those that do not'),
})

export const draftItemRoutes = listNames.flatMap((list) => routesOf(list))

function routesOf(list: ListKey): readonly Route[] {
  const { path, title, tag } = lists[list]
  const noun = listNouns[list]
  const anItem = `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`
  const place = `/api/drafts/:draft/${path}`
  const editing = { tag, access: 'administrator', answer: answerOf(list), hasEtag: true } as const
  const body = bodyOf(list)
  return [
    route({
      operationId: `listDraft${title}s`,
      tag,
      summary: 'List items of a draft with their state',
      method: 'GET',
      path: place,
      access: 'viewer',
      params: byDraft,
      query,
      answer: pageOf(answerOf(list)),
      problems: ['managedByFiles'],
      async handle({ params, query, parts }) {
        const opened = await requireDraft(params.draft, parts)
        const edits = await parts.store.administration.drafts.edits(params.draft, list)
        const wanted = query.search?.toLowerCase()
        const found = listItems(opened, list, edits).filter(
          ({ id, state }) =>
            (wanted === undefined || id.toLowerCase().includes(wanted)) &&
            (query.isEdited === undefined || (state !== 'unchanged') === query.isEdited),
        )
        const page = cutPage(found, query)
        return { body: { ...page, items: page.items.map((item) => describe(list, item)) } }
      },
    }),
    route({
      operationId: `getDraft${title}`,
      tag,
      summary: 'Get an item of a draft',
      method: 'GET',
      path: `${place}/:id`,
      access: 'viewer',
      params: byItem,
      answer: answerOf(list),
      hasEtag: true,
      problems: ['managedByFiles'],
      async handle({ params, parts }) {
        return answer(list, await requireItem(list, params.id, await requireDraft(params.draft, parts), parts))
      },
    }),
    route({
      ...editing,
      operationId: `addDraft${title}`,
      done: `Added ${anItem}`,
      summary: 'Add an item to a draft',
      method: 'POST',
      path: place,
      params: byDraft,
      body,
      example: examples[list],
      status: 201,
      problems: ['managedByFiles', 'conflict'],
      handle: (input) => add(list, input, input.params.draft, input.body),
    }),
    route({
      ...editing,
      operationId: `replaceDraft${title}`,
      done: `Changed ${anItem}`,
      summary: 'Replace an item of a draft; a new name renames it',
      method: 'PUT',
      path: `${place}/:id`,
      params: byItem,
      needsIfMatch: true,
      body,
      example: examples[list],
      problems: ['managedByFiles'],
      handle: (input) => edit(list, input, input.params, JSON.stringify(input.body)),
    }),
    route({
      ...editing,
      operationId: `removeDraft${title}`,
      done: `Removed ${anItem}`,
      summary: 'Remove an item from a draft',
      method: 'DELETE',
      path: `${place}/:id`,
      params: byItem,
      needsIfMatch: true,
      problems: ['managedByFiles'],
      handle: (input) => edit(list, input, input.params, null),
    }),
    route({
      ...editing,
      answer: z.object({ item: answerOf(list).nullable().describe('The item of the base; null if it was added') }),
      hasEtag: false,
      operationId: `revertDraft${title}`,
      done: `Reverted ${anItem}`,
      summary: 'Revert the changes to an item of a draft',
      method: 'POST',
      path: `${place}/:id/revert`,
      params: byItem,
      needsIfMatch: true,
      problems: ['managedByFiles'],
      async handle(input) {
        const { draft, id } = input.params
        const { opened, before } = await requireEditable(list, input, input.params)
        await store(list, input, opened, { id, before, value: undefined })
        const item = findItem(await requireDraft(draft, input.parts), list, id, undefined)
        return { body: { item: item ? describe(list, item) : null } }
      },
    }),
  ]
}
