/** How `ig` offers an action, as data. Arguments, options and help come from its schemas (specification 31.1). */

type ItemOf<Answer> = Answer extends { readonly items: readonly (infer Item)[] } ? Item : never

export interface CommandLine<Answer = unknown, Input = unknown> {
  /** `webhook list` */
  readonly verb: string
  /** Replaces the action's description in the help of `ig`, where that speaks of the API. */
  readonly description?: string
  /** Members of the input that are arguments, in this order; the others are options. */
  readonly args?: readonly (keyof Input & string)[]
  /** Members that a terminal takes in another form than JSON. */
  readonly inputs?: { readonly [Member in keyof Input]?: TerminalInput }
  /** The columns of a list, by their heads. Each shows a member of the item, or a text made from the item. */
  readonly columns?: Readonly<Record<string, (keyof ItemOf<Answer> & string) | ((item: ItemOf<Answer>) => string)>>
  /** The query of the next page of a list without `offset`, after this item. */
  next?(last: ItemOf<Answer>, given: Input): Readonly<Partial<Record<keyof Input, unknown>>>
  /** What is printed for a list without items. */
  readonly empty?: string
  /** The member of the answer that is a file: printed as it is, or written to `--out`. */
  readonly file?: keyof Answer & string
  /** The file is a secret: without `--out` and `--json`, only a terminal gets it, because output is kept and read by others. */
  readonly isSecret?: true
  /** A question before what cannot be undone; `--yes` answers it. Undefined: this input loses nothing. */
  asks?(given: Input): string | undefined
  /** What was done, or what a list without columns has, for people; several lines as a list. */
  says?(answer: Answer, given: Input): string | readonly string[]
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

export interface TerminalInput {
  /** The name of its option, or argument, if not the member's: `email` */
  readonly option?: string
  /** The placeholder of the value in the help: `[type:]address` */
  readonly value?: string
  readonly description?: string
  readonly reads?: InputReader
  /** If the option is not given. */
  readonly fallback?: string
  /** If the option is not given: the extension of the file that this one names, if it is one of the values. */
  readonly extensionOf?: string
  /** A password is not asked for with this option. */
  readonly unless?: string
}

/**
 * How the texts of an option are read: a file, its lines, or a secret, and `-` is standard input; e-mail addresses;
 * certificates, or files of them; a new password, which is asked for, read from standard input or generated.
 */
export type InputReader = 'file' | 'lines' | 'secret' | 'addresses' | 'certificates' | 'newPassword'
