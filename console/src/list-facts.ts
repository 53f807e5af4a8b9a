/** What pages show of a list of the configuration, besides the fields of its items. */
export interface ListFacts {
  readonly path: string
  readonly one: string
  readonly many: string
  /** Below the heading of the list. */
  readonly help?: string
  /** Whether nothing in the configuration names its items. */
  readonly isUnnamed?: true
  /** The values of a new item. */
  readonly start: Readonly<Record<string, unknown>>
}
