/** Where an item of the configuration, or an operator, is used (specification 18.14). */
import { z } from 'zod'
import { ids, type ListKey, listNames, name } from '../../actions/schemas.ts'
import { idOf } from '../../configuration/canonical.ts'
import { countUses, findUses } from '../../configuration/find-uses.ts'
import { listItems, requireDraft } from '../draft.ts'
import type { AdminParts } from '../parts.ts'
import { route } from '../route.ts'

/** Number of uses that are listed: a service may have thousands of operations. */
const maxUses = 100

type Item = Readonly<Record<string, unknown>>
type Lists = ReadonlyMap<ListKey, readonly (readonly [id: string, item: Item])[]>

export const usesRoutes = [
  route({
    operationId: 'listUses',
    tag: 'Revisions',
    summary: 'List the items that name an item of the configuration, or an operator',
    description:
      'In the active configuration, or in a draft. An operation is also used where a permission list or a limit names its ' +
      `service. The first ${maxUses} are listed.`,
    method: 'GET',
    path: '/api/uses',
    access: 'viewer',
    query: z.object({
      list: z.enum([...listNames, 'operators']),
      id: z.string().max(200),
      draft: z.string().optional(),
    }),
    answer: name(
      'Uses',
      z.object({
        items: z.array(
          name(
            'Use',
            z.object({ list: z.enum(listNames), id: z.string(), field: z.string().describe('That names the item') }),
          ),
        ),
        total: z.int(),
      }),
    ),
    async handle({ parts, query: { list, id, draft } }) {
      const lists = draft === undefined ? activeLists(parts) : await draftLists(draft, parts)
      const [, operation] = lists.get('operations')?.find(([each]) => list === 'operations' && each === id) ?? []
      const uses = [...findUses(lists, list, id, operation?.service)]
      return { body: { items: uses.slice(0, maxUses), total: uses.length } }
    },
  }),
  route({
    operationId: 'countUses',
    tag: 'Revisions',
    summary: 'Count what uses some items of the active configuration',
    method: 'GET',
    path: '/api/use-counts',
    access: 'viewer',
    query: z.object({ list: z.enum(['services', 'documents', 'messages', 'permissionLists']), id: ids }),
    answer: z.object({
      items: z.array(
        name(
          'UseCount',
          z.object({
            id: z.string(),
            uses: z.int().describe('Items that name it'),
            operations: z.int().describe('Operations that a permission list permits; else 0'),
            holders: z.int().describe('Operators that hold a permission list; else 0'),
          }),
        ),
      ),
    }),
    async handle({ parts, query: { list, id } }) {
      const uses = countUses(activeLists(parts), list, id)
      const ofList = list === 'permissionLists'
      const holders = ofList ? await parts.store.operators.countHolders(id) : new Map<string, number>()
      const operations = new Map<string, number>()
      for (const { permittedBy } of ofList ? parts.catalog().operations.values() : [])
        for (const name of permittedBy) operations.set(name, (operations.get(name) ?? 0) + 1)
      const items = id.map((each) => ({
        id: each,
        uses: uses.get(each) ?? 0,
        operations: operations.get(each) ?? 0,
        holders: holders.get(each) ?? 0,
      }))
      return { body: { items } }
    },
  }),
]

function activeLists({ catalog }: AdminParts): Lists {
  const { configuration } = catalog()
  return new Map(listNames.map((list) => [list, configuration[list].map((item) => [idOf(list, item), item] as const)]))
}

async function draftLists(id: string, parts: AdminParts): Promise<Lists> {
  const opened = await requireDraft(id, parts)
  const edits = await parts.store.administration.drafts.edits(id)
  const itemsOf = (list: ListKey) => listItems(opened, list, edits).filter(({ state }) => state !== 'removed')
  return new Map(listNames.map((list) => [list, itemsOf(list).map(({ id, value }) => [id, value] as const)]))
}
