/**
 * The last fetched documents of the identity provider, for a start without database and provider (specification 17.15).
 */
export interface ProviderDocuments {
  /** Counts changed documents. */
  readonly changes: number
  find(url: string | undefined): unknown
  keep(url: string, document: unknown): void
  list(): readonly (readonly [url: string, document: unknown])[]
}

export function openProviderDocuments(known: readonly (readonly [string, unknown])[] = []): ProviderDocuments {
  const documents = new Map(known)
  let changes = 0
  return {
    get changes() {
      return changes
    },
    find: (url) => (url === undefined ? undefined : documents.get(url)),
    keep(url, document) {
      if (JSON.stringify(documents.get(url)) !== JSON.stringify(document)) changes += 1
      documents.set(url, document)
    },
    list: () => [...documents],
  }
}
