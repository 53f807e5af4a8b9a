/** Replaces Swagger UI's filter, which searches only tags: also searches path, method, operation id and summary. */

/** The Immutable.js types of Swagger UI's operations. */
interface Tag {
  get(key: 'operations'): Operations
  set(key: 'operations', operations: Operations): Tag
}
interface Tags {
  map(change: (tag: Tag, name: string) => Tag): Tags
  filter(holds: (tag: Tag) => boolean): Tags
}
interface Operations {
  readonly size: number
  filter(holds: (operation: Operation) => boolean): Operations
}
interface Operation {
  get(key: 'path' | 'method'): string
  getIn(path: readonly ['operation', 'operationId' | 'summary']): string | undefined
}

export function searchOperations(tags: Tags, phrase: string): Tags {
  const words = phrase.toLowerCase().split(/\s+/)
  return tags
    .map((tag, name) =>
      tag.set(
        'operations',
        tag.get('operations').filter((operation) => {
          const text = [
            name,
            operation.get('method'),
            operation.get('path'),
            operation.getIn(['operation', 'operationId']),
            operation.getIn(['operation', 'summary']),
          ]
            .join(' ')
            .toLowerCase()
          return words.every((word) => text.includes(word))
        }),
      ),
    )
    .filter((tag) => tag.get('operations').size > 0)
}
