/** The items of a draft, one at a time, so that administrators conflict only on the same item (specification 18.21). */
import { z } from 'zod'
import { itemSchemas } from '../../model/configuration/configuration.ts'
import type { DraftChange, DraftEdit } from '../../store/administration/contract.ts'
import {
  checkItem,
  type DraftItem,
  etagOf,
  findItem,
  idOf,
  listItems,
  type OpenDraft,
  requireDraft,
  subjectOf,
} from '../draft.ts'
import type { AdminParts } from '../parts.ts'
import { AdminProblem, notFound } from '../problem-details.ts'
import { type Input, type Route, route } from '../route.ts'
import { cutPage, fetchedUrl, flag, type ListKey, listNames, lists, name, pageOf, problem, sorted } from '../schemas.ts'
import { readMetadata } from './configuration.ts'

const byDraft = z.object({ draft: z.string() })
const byItem = z.object({ draft: z.string(), id: z.string().min(1).max(200) })
const query = sorted.extend({
  search: z.string().optional().describe('Part of the id, case-insensitive'),
  isEdited: flag.optional().describe('true: only items that differ from the base; false: only those that do not'),
})

/** Invalid values are saved too, so that an unfinished form is not lost. Only the fields of the id are required. */
function bodyOf(list: ListKey) {
  const $ref = `#/components/schemas/${lists[list].title}Input`
  const message = 'must be a text of 1 to 60 characters, to tell it from others'
  const loose = z.record(z.string(), z.unknown()).superRefine((value, context) => {
    for (const key of list === 'operations' ? ['name', 'method'] : ['name']) {
      const text = value[key]
      if (typeof text !== 'string' || text === '' || text.length > 60)
        context.addIssue({ code: 'custom', path: [key], message })
    }
  })
  return loose.meta({ allOf: [{ $ref }], description: 'May be invalid: it is saved, and its errors are reported' })
}

/** One component for each list. */
const answers = new Map(listNames.map((list) => [list, makeAnswer(list)]))

function answerOf(list: ListKey): ReturnType<typeof makeAnswer> {
  return answers.get(list) ?? makeAnswer(list)
}

function makeAnswer(list: ListKey) {
  const $ref = `#/components/schemas/${lists[list].title}Input`
  return name(
    `Draft${lists[list].title}`,
    z.object({
      id: z.string().describe('The original id in the draft, also after renaming'),
      state: z.enum(['unchanged', 'added', 'changed', 'removed']),
      value: z.record(z.string(), z.unknown()).meta({ allOf: [{ $ref }] }),
      etag: z.string().describe('For If-Match, in quotation marks'),
      problems: z.array(problem).describe("Errors of this item alone; the draft's errors include them"),
    }),
  )
}

function routesOf(list: ListKey): readonly Route[] {
  const { path, title, tag } = lists[list]
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

type Editing = Pick<Input<unknown, unknown, unknown>, 'parts' | 'caller' | 'audited' | 'ifMatch'>
type Place = { readonly draft: string; readonly id: string }
type Value = Readonly<Record<string, unknown>>

async function add(list: ListKey, input: Editing, draftId: string, value: Value) {
  const { parts } = input
  const id = idOf(list, value)
  for (;;) {
    const opened = await requireDraft(draftId, parts)
    const before = await parts.store.administration.drafts.findEdit(draftId, list, id)
    const existing = findItem(opened, list, id, before)
    if (existing && existing.state !== 'removed')
      throw new AdminProblem('conflict', `The draft already has ${lists[list].title} ${id}.`)
    if (await tryStore(list, input, opened, { id, before, value: JSON.stringify(value) })) break // retry after a concurrent change
  }
  const made = await answer(list, await requireItem(list, id, await requireDraft(draftId, parts), parts))
  return { ...made, location: `/api/drafts/${draftId}/${lists[list].path}/${encodeURIComponent(id)}` }
}

async function edit(list: ListKey, input: Editing, place: Place, value: string | null) {
  const { opened, before, item } = await requireEditable(list, input, place)
  const isAdded = item.state === 'added'
  await store(list, input, opened, { id: place.id, before, value: value === null && isAdded ? undefined : value })
  if (value === null && isAdded)
    return answer(list, { ...item, state: 'removed', etag: etagOf(opened.draft, undefined) })
  return answer(list, await requireItem(list, place.id, await requireDraft(place.draft, input.parts), input.parts))
}

async function requireEditable(list: ListKey, { parts, ifMatch }: Editing, { draft, id }: Place) {
  const opened = await requireDraft(draft, parts)
  const before = await parts.store.administration.drafts.findEdit(draft, list, id)
  const item = findItem(opened, list, id, before)
  if (!item) throw notFound(`${lists[list].title} ${id} in the draft`)
  if (item.etag !== ifMatch) throw editedMeanwhile()
  return { opened, before, item }
}

interface Storing {
  readonly id: string
  readonly before: DraftEdit | undefined
  readonly value: string | null | undefined
}

async function store(list: ListKey, input: Editing, opened: OpenDraft, storing: Storing): Promise<void> {
  if (!(await tryStore(list, input, opened, storing))) throw editedMeanwhile()
}

/** @returns false if the draft was rebased or the item changed concurrently */
async function tryStore(list: ListKey, { parts, caller, audited }: Editing, opened: OpenDraft, storing: Storing) {
  const { draft, base } = opened
  const { id, before, value } = storing
  const was = findItem({ draft, base }, list, id, before)
  const { administration } = audited({
    subject: `${subjectOf(draft)} ${lists[list].title} ${id}`,
    ...(was && was.state !== 'removed' && { before: was.value }),
    ...(typeof value === 'string' && { after: JSON.parse(value) }),
  })
  const by: DraftChange = { by: caller.name, time: Math.floor(parts.now()) }
  return (await administration.drafts.edit(draft, { list, item: id, value }, before?.version ?? 0, by)) !== undefined
}

async function requireItem(list: ListKey, id: string, opened: OpenDraft, { store }: AdminParts): Promise<DraftItem> {
  const found = findItem(opened, list, id, await store.administration.drafts.findEdit(opened.draft.id, list, id))
  if (found) return found
  throw notFound(`${lists[list].title} ${id} in the draft`)
}

function editedMeanwhile(): AdminProblem {
  return new AdminProblem(
    'preconditionFailed',
    'Someone else changed the item. Nothing was saved: read the item again.',
  )
}

async function answer(list: ListKey, item: DraftItem) {
  return { body: describe(list, item), etag: item.etag }
}

function describe(list: ListKey, item: DraftItem) {
  return { ...item, problems: item.state === 'removed' ? [] : [...checkItem(list, item.value)] }
}

const examples: Readonly<Record<ListKey, object>> = {
  nodes: { name: 'PARTNER', description: 'Calls of a partner' },
  documents: { name: 'ECHO_DOC', elements: { parameter1: { type: 'String', length: 100 } } },
  messages: { name: 'ECHO_TMPL', document: 'ECHO_DOC' },
  services: { name: 'ECHO', description: 'Sends back what it was sent' },
  operations: {
    service: 'ECHO',
    name: 'ECHO',
    method: 'GET',
    uriTemplates: ['echo'],
    handler: 'handlers/echo.ts',
  },
  permissionLists: { name: 'ECHO_ALL', services: ['ECHO'] },
  oauth2ServiceApps: { name: 'id.example.com', metadataUrl: 'https://id.example.com/.well-known/openid-configuration' },
  jobs: { name: 'CLEAN_UP', at: '0 3 * * *', timeZone: 'Europe/Berlin', handler: 'handlers/clean-up.ts' },
  limits: { name: 'operator', by: ['operator'], calls: 100, per: '1min' },
}

export const draftItemRoutes = [
  ...listNames.flatMap((list) => routesOf(list)),
  route({
    operationId: 'addDraftOAuth2ServiceAppFromMetadata',
    done: 'Registered an OAuth2 service app',
    tag: lists.oauth2ServiceApps.tag,
    summary: 'Register an identity provider by its metadata URL',
    description: 'Fetches issuer and endpoints and saves them to the draft. The default name is the name of the host.',
    method: 'POST',
    path: '/api/drafts/:draft/oauth2-service-apps/from-metadata',
    access: 'administrator',
    params: byDraft,
    body: name(
      'ServiceAppRegistration',
      z.object({
        metadataUrl: fetchedUrl,
        name: itemSchemas.oauth2ServiceApps.unwrap().shape.name.optional(),
        audience: z.array(z.string().min(1)).optional().describe('A token must contain at least one'),
      }),
    ),
    example: { metadataUrl: 'https://id.example.com/.well-known/openid-configuration' },
    answer: answerOf('oauth2ServiceApps'),
    status: 201,
    hasEtag: true,
    problems: ['managedByFiles', 'conflict', 'metadataUnusable'],
    async handle(input) {
      const { jwksUri: _, ...metadata } = await readMetadata(input.body.metadataUrl, input)
      const value = { name: new URL(metadata.issuer).host, ...metadata, ...input.body }
      return add('oauth2ServiceApps', input, input.params.draft, JSON.parse(JSON.stringify(value)))
    },
  }),
]
