/**
 * The items of every list of the configuration, active or in a draft. The seven lists have the same routes, so the path
 * is built here, the only place without generated types (specification 18.20, 18.21).
 */
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ListName, lists, type Value } from '../lists.ts'
import { api, Problem, read, type Schemas } from './client.ts'
import { readPages } from './read-pages.ts'
import { refetch } from './refetch.ts'

type DraftItem = Schemas['DraftNode']

export interface Item {
  readonly id: string
  readonly value: Value
  readonly state: DraftItem['state']
  /** The ETag without quotation marks; undefined for an active item. */
  readonly etag: string | undefined
  readonly managedBy?: Schemas['ManagedBy']
}

interface Page {
  readonly items: readonly Item[]
  readonly total: number
  readonly offset: number
  readonly limit: number
}

export interface ItemQuery {
  readonly search?: string
  readonly service?: string
  readonly sort?: string
  readonly offset?: number
  readonly limit?: number
}

type Send = (path: string, init: object) => ReturnType<typeof api.GET>
const { GET, POST, PUT, DELETE } = api as unknown as Record<'GET' | 'POST' | 'PUT' | 'DELETE', Send>

const urlOf = (list: ListName, draft: string) =>
  draft === '' ? `/api/${lists[list].path}` : `/api/drafts/{draft}/${lists[list].path}`

/** @param draft empty for the active configuration */
export function useItems(list: ListName, draft: string, query: ItemQuery) {
  return useQuery({
    queryKey: ['items', list, draft, query],
    placeholderData: keepPreviousData,
    queryFn: () => readItems(list, draft, query),
  })
}

async function readItems(list: ListName, draft: string, query: ItemQuery): Promise<Page> {
  const page = (await read(GET(urlOf(list, draft), { params: { path: { draft }, query } }))) as unknown as Page
  return { ...page, items: page.items.map(toItem) }
}

export function readAllItems(list: ListName, draft: string, query: ItemQuery): Promise<readonly Item[]> {
  return readPages((page) => readItems(list, draft, { ...query, ...page }))
}

export function useItem(list: ListName, draft: string, id: string) {
  return useQuery({
    queryKey: ['items', list, draft, 'one', id],
    enabled: id !== '',
    queryFn: () => readItem(list, draft, id),
  })
}

export async function readItem(list: ListName, draft: string, id: string): Promise<Item> {
  try {
    const item = await read(GET(`${urlOf(list, draft)}/{id}`, { params: { path: { draft, id } } }))
    return toItem(item as unknown as Item)
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'notFound' || !error.message.includes(id)) throw error
    const where = draft === '' ? 'in the active configuration' : 'in the draft'
    throw new Problem({
      code: error.code,
      title: error.title,
      detail: `There is no ${lists[list].one} ${id} ${where}.`,
    })
  }
}

function toItem(item: Item): Item {
  return { ...item, state: item.state ?? 'unchanged', etag: item.etag }
}

interface Save {
  readonly list: ListName
  readonly draft: string
  /** Undefined for a new item. */
  readonly seen: Item | undefined
  readonly value: Value
}

export function useSaveItem() {
  return useChange(async ({ list, draft, seen, value }: Save) => {
    if (!seen) {
      return toItem(
        (await read(POST(urlOf(list, draft), { params: { path: { draft } }, body: value }))) as unknown as Item,
      )
    }
    const etag = seen.etag ?? (await etagOfSame(list, draft, seen))
    return toItem(
      (await read(
        PUT(`${urlOf(list, draft)}/{id}`, { params: params(draft, seen.id, etag), body: value }),
      )) as unknown as Item,
    )
  })
}

interface OfItem {
  readonly list: ListName
  readonly draft: string
  readonly seen: Item
}

export function useRemoveItem() {
  return useChange(async ({ list, draft, seen }: OfItem) => {
    const etag = seen.etag ?? (await etagOfSame(list, draft, seen))
    await read(DELETE(`${urlOf(list, draft)}/{id}`, { params: params(draft, seen.id, etag) }))
  })
}

export function useRevertItem() {
  return useChange(async ({ list, draft, seen }: OfItem) => {
    await read(POST(`${urlOf(list, draft)}/{id}/revert`, { params: params(draft, seen.id, seen.etag ?? '') }))
  })
}

export type ProviderMetadata = Schemas['ServiceAppMetadata']

const providerKey = (metadataUrl: string) => ['provider-metadata', metadataUrl]

/** What the provider publishes; fetched on request only, because the gateway calls another server for it. */
export function useProviderMetadata(metadataUrl: string) {
  return useQuery({
    queryKey: providerKey(metadataUrl),
    enabled: false,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    queryFn: () => read(api.POST('/api/oauth2-service-apps/metadata', { body: { metadataUrl } })),
  })
}

/** Reads it and keeps it for the page of the item. */
export function useFetchProviderMetadata() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (metadataUrl: string) => read(api.POST('/api/oauth2-service-apps/metadata', { body: { metadataUrl } })),
    onSuccess: (metadata, metadataUrl) => client.setQueryData(providerKey(metadataUrl), metadata),
  })
}

function params(draft: string, id: string, etag: string) {
  return { path: { draft, id }, header: { 'If-Match': `"${etag}"` } }
}

/** An edit of an active item goes into the draft only if the draft has the same value; otherwise it is a conflict. */
async function etagOfSame(list: ListName, draft: string, seen: Item): Promise<string> {
  const item = await readItem(list, draft, seen.id)
  if (JSON.stringify(item.value) === JSON.stringify(seen.value)) return item.etag ?? ''
  const title = 'Changed by someone else'
  throw new Problem({ code: 'preconditionFailed', title, detail: 'The draft has a different value. Reload the item.' })
}

function useChange<Variables, Data>(mutationFn: (variables: Variables) => Promise<Data>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn,
    onSuccess: () =>
      refetch(client, { predicate: ({ queryKey }) => ['items', 'drafts'].includes(String(queryKey[0])) }),
  })
}
