/** Drafts, and the revisions that they become (specification 18.20 to 18.25). */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, Problem, read, readTagged, type Schemas } from './client.ts'
import { refetch } from './refetch.ts'

export type Draft = Schemas['Draft']
export type Change = Schemas['Change']

const key = ['drafts']

export function useDrafts() {
  return useQuery({
    queryKey: [...key, 'all'],
    queryFn: () => read(api.GET('/api/drafts', { params: { query: { limit: 500 } } })),
  })
}

export function useDraft(draft: string) {
  return useQuery({
    queryKey: [...key, draft, 'itself'],
    enabled: draft !== '',
    queryFn: () => readTagged(api.GET('/api/drafts/{draft}', { params: { path: { draft } } })),
  })
}

export function useDraftProblems(draft: string) {
  return useQuery({
    queryKey: [...key, draft, 'problems'],
    enabled: draft !== '',
    queryFn: () => readDraftProblems(draft),
  })
}

export function readDraftProblems(draft: string) {
  return read(api.GET('/api/drafts/{draft}/problems', { params: { path: { draft } } }))
}

/** The ETag is the draft's, so activation fails if the draft has changed since it was shown. */
export function useDraftChanges(draft: string, isValid: boolean) {
  return useQuery({
    queryKey: [...key, draft, 'changes'],
    enabled: isValid,
    queryFn: () => readTagged(api.GET('/api/drafts/{draft}/changes', { params: { path: { draft } } })),
  })
}

/** The calls of the last day that this version of the draft would refuse. */
export function useReplay(draft: string, version: number) {
  return useQuery({
    queryKey: [...key, draft, 'replay', version],
    staleTime: 60_000,
    queryFn: () => read(api.GET('/api/drafts/{draft}/replay', { params: { path: { draft } } })),
  })
}

export function useCreateDraft() {
  return useChange((title: string) => read(api.POST('/api/drafts', { body: { title } })))
}

interface OfDraft {
  readonly draft: string
  readonly etag: string
}
const params = ({ draft, etag }: OfDraft) => ({ path: { draft }, header: { 'If-Match': etag } })

export function useDeleteDraft() {
  return useChange((of: OfDraft) => read(api.DELETE('/api/drafts/{draft}', { params: params(of) })))
}

export function useRenameDraft() {
  return useChange(({ title, ...of }: OfDraft & { readonly title: string }) =>
    read(api.PATCH('/api/drafts/{draft}', { params: params(of), body: { title } })),
  )
}

export function useRebaseDraft() {
  return useChange((of: OfDraft) => read(api.POST('/api/drafts/{draft}/rebase', { params: params(of) })))
}

export function useActivateDraft() {
  return useChange(({ note, force, ...of }: OfDraft & { readonly note: string; readonly force: boolean }) =>
    read(api.POST('/api/drafts/{draft}/activate', { params: params(of), body: { note, force, wait: true } })),
  )
}

export function useRevision(number: number) {
  return useQuery({
    queryKey: ['revisions', 'itself', number],
    queryFn: () => read(api.GET('/api/revisions/{number}', { params: { path: { number: String(number) } } })),
  })
}

export function useActivation() {
  return useQuery({
    queryKey: ['revisions', 'active'],
    queryFn: () => readTagged(api.GET('/api/activation')),
  })
}

/** The last ones, the newest first. */
export function useActivations() {
  return useQuery({
    queryKey: ['revisions', 'activations'],
    queryFn: () => read(api.GET('/api/activations', { params: { query: { limit: 100 } } })),
    refetchInterval: 20_000,
  })
}

export function useRevisionChanges(from: number | undefined, to: number) {
  return useQuery({
    queryKey: ['revisions', 'changes', from, to],
    enabled: from !== undefined,
    queryFn: () =>
      read(
        api.GET('/api/revisions/{number}/changes', { params: { path: { number: to }, query: { from: from ?? to } } }),
      ),
  })
}

export function useRollBack() {
  return useChange(
    ({
      etag,
      ...body
    }: { readonly etag: string } & Pick<Schemas['ActivationRequestInput'], 'revision' | 'note' | 'force'>) =>
      read(
        api.PUT('/api/activation', {
          params: { header: { 'If-Match': etag } },
          body: { ...body, dryRun: false, wait: true },
        }),
      ),
  )
}

export function useDrift() {
  return useQuery({ queryKey: ['drift'], queryFn: () => read(api.GET('/api/drift')) })
}

/** The active configuration may have changed: refetches everything except the session. */
function useChange<Variables, Data>(mutationFn: (variables: Variables) => Promise<Data>) {
  const client = useQueryClient()
  const readAll = () => refetch(client, { predicate: ({ queryKey }) => queryKey[0] !== 'session' })
  return useMutation({
    mutationFn,
    onSuccess: readAll,
    onError: (error) => error instanceof Problem && error.code === 'notServed' && readAll(), // the revision was created
  })
}
