/** What a form and a table of a list show. */
import type { Field } from './field.ts'

export interface ListFacts {
  readonly path: string
  readonly one: string
  readonly many: string
  /** Below the heading of the list. */
  readonly help?: string
  readonly fields: readonly Field[]
  /** Whether nothing in the configuration names its items. */
  readonly isUnnamed?: true
  /** The values of a new item. */
  readonly start: Readonly<Record<string, unknown>>
}

export const name: Field = {
  path: 'name',
  label: 'Name',
  kind: 'text',
  help: '1 to 30 uppercase letters, digits and underscores',
  isRequired: true,
}
export const description: Field = { path: 'description', label: 'Description', kind: 'area' }
