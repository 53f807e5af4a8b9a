/**
 * What is made along the way to an operation, and saved with it: its service, the document and the message of its URI templates'
 * variables, and the permission lists that contain it.
 */
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { Problem } from '../../../api/client.ts'
import { type Item, readItem, useItem, useSaveItem } from '../../../api/items.ts'
import { useCurrentDraft } from '../../../current-draft.tsx'
import type { ListName, Value } from '../../../lists.ts'
import { useUnsaved } from '../../../router.tsx'
import { type Variable, variablesOf } from '../../../uri-variables.ts'
import type { Alongside, ItemEditing } from '../../../use-item-editing.ts'
import { idOf } from './id-of.ts'

export interface OperationAlongside extends Alongside {
  /** The service that the operation names, if there is none of that name. */
  readonly newService: string | undefined
  /** Variables of the URI templates without an element, with the type that each gets. */
  readonly missing: readonly Variable[]
  readonly types: Readonly<Record<string, string>>
  /** Permission lists that the person checked or unchecked. */
  readonly permits: Readonly<Record<string, boolean>>
  setType(variable: string, type: string): void
  permit(permissionList: string, isPermitted: boolean | undefined): void
  discard(): void
}

export function useAlongside({ value }: ItemEditing): OperationAlongside {
  const { document, elements } = useDocument(value)
  const newService = useNewService(value)
  const [types, setTypes] = useState<Readonly<Record<string, string>>>({})
  const [permits, setPermits] = useState<Readonly<Record<string, boolean>>>({})
  const { mutateAsync: save } = useSaveItem()
  const isEdited = Object.keys(permits).length > 0
  useUnsaved(isEdited)
  const missing = variablesOf(templatesOf(value)).filter(({ name }) => !Object.hasOwn(elements, name))
  const added = Object.fromEntries(
    missing.map(({ name, isCollection }) => [
      name,
      { type: types[name] ?? 'String', ...(isCollection && { isCollection }) },
    ]),
  )
  const discard = () => {
    setTypes({})
    setPermits({})
  }
  return {
    isEdited,
    newService,
    missing,
    types,
    permits,
    setType: (variable, type) => setTypes((before) => ({ ...before, [variable]: type })),
    permit: (name, isPermitted) =>
      setPermits(({ [name]: _, ...others }) =>
        isPermitted === undefined ? others : { ...others, [name]: isPermitted },
      ),
    discard,
    async prepare(draft, operation) {
      const service = serviceOf(operation)
      if (isName(service) && !(await findItem('services', draft, service)))
        await save({ list: 'services', draft, seen: undefined, value: { name: service } })
      if (missing.length === 0) return operation
      if (document !== '') {
        const seen = await readItem('documents', draft, document)
        const value = { ...seen.value, elements: { ...added, ...(seen.value.elements as Value) } }
        await save({ list: 'documents', draft, seen, value })
        return operation
      }
      for (const name of namesFor(operation)) {
        const message = await findItem('messages', draft, name)
        const named = await findItem('documents', draft, message ? String(message.value.document) : name)
        if (named && !missing.every((variable) => Object.hasOwn((named.value.elements ?? {}) as Value, variable.name)))
          continue // another operation's
        if (!named) await save({ list: 'documents', draft, seen: undefined, value: { name, elements: added } })
        if (!message) await save({ list: 'messages', draft, seen: undefined, value: { name, document: name } })
        return { ...operation, documentTemplate: name }
      }
      return operation // the error is at the templates
    },
    async complete(draft, saved) {
      for (const [name, isPermitted] of Object.entries(permits))
        await permit(draft, name, idOf(saved.value), isPermitted)
      discard()
    },
  }

  async function permit(draft: string, name: string, operation: string, isPermitted: boolean): Promise<void> {
    const seen = await readItem('permissionLists', draft, name)
    const others = ((seen.value.operations ?? []) as string[]).filter((each) => each !== operation)
    const value = { ...seen.value, operations: isPermitted ? [...others, operation] : others }
    try {
      await save({ list: 'permissionLists', draft, seen, value })
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'preconditionFailed') throw error
      await permit(draft, name, operation, isPermitted) // someone saved another change of the list
    }
  }
}

/** Once typing pauses. */
function useNewService(value: Value): string | undefined {
  const { draft } = useCurrentDraft()
  const [name] = useDebouncedValue(serviceOf(value), 200)
  const { data, error } = useItem('services', draft, isName(name) ? name : '')
  const isMissing = data?.state === 'removed' || (error instanceof Problem && error.code === 'notFound')
  return isMissing && name === serviceOf(value) ? name : undefined
}

const serviceOf = ({ service }: Value) => (typeof service === 'string' ? service : '')
/** Another one stays an error of the field. */
const isName = (text: string) => /^[A-Z0-9_]{1,30}$/.test(text)

/** The message that the operation names, or new ones: named after it, unless that name is taken. */
function namesFor({ documentTemplate, name, method }: Value): readonly string[] {
  if (typeof documentTemplate === 'string' && documentTemplate !== '') return [documentTemplate]
  const withMethod = `${String(name).slice(0, 29 - String(method).length)}_${method}`
  return [String(name), withMethod, `${withMethod.slice(0, 28)}_2`]
}

async function findItem(list: ListName, draft: string, id: string): Promise<Item | undefined> {
  try {
    const item = await readItem(list, draft, id)
    return item.state === 'removed' ? undefined : item
  } catch (error) {
    if (error instanceof Problem && error.code === 'notFound') return undefined
    throw error
  }
}

/** Finds the document of the message that is the document template. */
export function useDocument(value: Value) {
  const { draft } = useCurrentDraft()
  const named = typeof value.documentTemplate === 'string' ? value.documentTemplate : ''
  const message = useItem('messages', draft, named)
  const isThere = named !== '' && message.data !== undefined && message.data.state !== 'removed'
  const document = isThere && typeof message.data.value.document === 'string' ? message.data.value.document : ''
  const found = useItem('documents', draft, document)
  const elements = (document !== '' && found.data?.value.elements) || {}
  return { document, query: found, elements: elements as Value }
}

export function templatesOf({ uriTemplates }: Value): readonly string[] {
  return Array.isArray(uriTemplates) ? (uriTemplates as string[]) : []
}
