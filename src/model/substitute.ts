/** What answers an operation instead of a class of the project: a class that a feature makes from the configuration. */
import type { together } from '../features.ts'
import type { Configuration } from './configuration/configuration.ts'
import type { MessageDefinition } from './content/message-definition.ts'
import type { DocumentTemplate } from './document-template.ts'
import type { HandlerClass } from './handler.ts'
import type { Problem } from './problem.ts'
import type { UriTemplate } from './uri/uri-template.ts'

/** The class, with all that other rooms ask of it. */
export interface Substitute extends HandlerClass {
  /** The name of its row: the state of the operation in the adoption report. */
  readonly state: keyof ReturnType<typeof together<'substitutes'>>
  /** All that it can answer, each once; undefined if the operation's messages say it. */
  readonly responses?: readonly MessageDefinition[]
  /** Values of a URL that it answers. */
  sampleValues?(template: UriTemplate, document: DocumentTemplate | undefined): ReadonlyMap<string, readonly string[]>
}

export interface SubstituteRow {
  readonly words: string
  readonly load: () => Promise<Substitutes>
}

export interface Substitutes {
  /** By `handlerKeyOf` of its operations. @param folder of the project, whose files are checked */
  make(configuration: Configuration, folder: string): Iterable<readonly [key: string, Substitute]>
  /** Errors of the project's files; the definition may be invalid in any way. @param folder undefined: there is none */
  checkFiles(folder: string | undefined, definition: unknown): Promise<readonly Problem[]>
}
