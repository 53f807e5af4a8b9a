/** Collects the names that references of a configuration may use, and its document templates (specification 2.12). */
import { listContributions } from '../features.ts'
import type { DocumentElement, DocumentTemplate } from '../model/document-template.ts'
import { operationIdOf } from '../model/operation-name.ts'
import { fold, type KnownNames, type NameSet } from './known-names.ts'
import type { UncheckedDefinition } from './unchecked-definition.ts'

/** @param input the configuration before parsing, with the invalid names as written */
export function collectNames(unchecked: UncheckedDefinition, input: unknown): KnownNames {
  const namesOf = (list: 'documents' | 'messages' | 'services' | 'permissionLists') =>
    collect(
      unchecked[list],
      list,
      input,
      (item) => item.name ?? undefined,
      (reference) => reference,
    )
  return {
    documents: namesOf('documents'),
    messages: namesOf('messages'),
    services: namesOf('services'),
    permissionLists: namesOf('permissionLists'),
    operations: withGenerated(
      collect(
        unchecked.operations,
        'operations',
        input,
        ({ name, method, version = 'v1' }) =>
          name && method && version ? operationIdOf({ name, method, version }) : undefined,
        (reference) => reference.replace(/_[a-z]+(?:\.[^.]*)?$/i, ''), // the method or version may be the invalid part
      ),
      unchecked,
    ),
    templates: collectTemplates(unchecked),
  }
}

const generatedIds = listContributions<(unchecked: UncheckedDefinition) => readonly string[]>('operationIds')

function withGenerated(known: NameSet | undefined, unchecked: UncheckedDefinition): NameSet | undefined {
  const ids = generatedIds.flatMap((operationIds) => operationIds(unchecked))
  return known && { ...known, names: new Set([...known.names, ...ids]) }
}

function collect<Item extends object>(
  items: readonly (Item | null)[] | null = [],
  list: string,
  input: unknown,
  idOf: (item: Item) => string | undefined,
  partOf: NameSet['partOf'],
): NameSet | undefined {
  if (items === null) return undefined
  const names = new Set<string>()
  const faulty = new Set<string>()
  for (const [index, item] of items.entries()) {
    const id = item ? idOf(item) : undefined
    const written = id ?? nameAsWritten(input, list, index)
    if (written === undefined) return undefined
    if (id === undefined) faulty.add(fold(written))
    else names.add(id)
  }
  return { names, faulty, partOf }
}

function nameAsWritten(input: unknown, list: string, index: number): string | undefined {
  const items = (input as Readonly<Record<string, readonly { readonly name?: unknown }[]>>)[list]
  const name = items?.[index]?.name
  return typeof name === 'string' ? name : undefined
}

/**
 * By the name of the message. An invalid element counts as a String. A repeated name is ambiguous: it has the elements
 * of all, none of them required.
 */
function collectTemplates({ messages, documents }: UncheckedDefinition): ReadonlyMap<string, DocumentTemplate> {
  const byName = groupBy(documents, (document) => document.name)
  const templates = new Map<string, DocumentTemplate>()
  for (const [name, named] of groupBy(messages, (message) => message.name)) {
    const meant = named.flatMap(({ document }) => byName.get(document ?? '') ?? [])
    const [first] = meant
    if (!first?.name || meant.some(({ elements }) => !elements)) continue
    const elements = new Map<string, DocumentElement>()
    for (const element of meant.flatMap((document) => collectElements(document.elements ?? {}))) {
      const earlier = elements.get(element.name)
      const isCollection = element.isCollection || earlier?.isCollection === true
      const isRequired = element.isRequired && meant.length === 1
      elements.set(element.name, { ...element, isCollection, isRequired })
    }
    templates.set(name, { name: first.name, elements })
  }
  return templates
}

function groupBy<Item extends object>(
  items: readonly (Item | null)[] | null = [],
  nameOf: (item: Item) => string | null | undefined,
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items ?? []) {
    const name = item && nameOf(item)
    if (!item || !name) continue
    const group = groups.get(name)
    if (group) group.push(item)
    else groups.set(name, [item])
  }
  return groups
}

type UncheckedElements = NonNullable<NonNullable<NonNullable<UncheckedDefinition['documents']>[number]>['elements']>

function collectElements(elements: UncheckedElements): DocumentElement[] {
  return Object.entries(elements).map(([name, element]) => ({
    name,
    type: element?.type ?? 'String',
    isCollection: element?.isCollection ?? false,
    isRequired: element?.isRequired ?? false,
    length: element?.length ?? undefined,
    values: undefined,
  }))
}
