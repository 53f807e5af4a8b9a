/** How `ig` offers an action, as data. Arguments, options and help come from its schemas (specification 31.1). */

type ItemOf<Answer> = Answer extends { readonly items: readonly (infer Item)[] } ? Item : never

export interface CommandLine<Answer = unknown, Input = unknown> {
  /** `webhook list` */
  readonly verb: string
  /** Members of the input that are arguments, in this order; the others are options. */
  readonly args?: readonly (keyof Input & string)[]
  /** The columns of a list, by their heads. Each shows a member of the item, or a text made from the item. */
  readonly columns?: Readonly<Record<string, (keyof ItemOf<Answer> & string) | ((item: ItemOf<Answer>) => string)>>
  /** In place of a list without items. */
  readonly empty?: string
  /** A question before what cannot be undone; `--yes` answers it. */
  asks?(given: Input): string
  /** What was done, or what a list without columns has, for people. */
  says?(answer: Answer, given: Input): string
  /** What `--wait` waits for. */
  readonly wait?: Wait<Input>
}

/** Another action is performed again and again until it has the end of what this one began. */
export interface Wait<Input> {
  /** Its operationId; it is a GET of the same noun, without input. */
  readonly polls: string
  progress(answer: unknown, given: Input): Progress
}

export interface Progress {
  /** A warning, if it lasts for more than five seconds. */
  readonly hint?: string
  readonly ended?: { readonly item: unknown; readonly says: string; readonly isFailure: boolean }
}
