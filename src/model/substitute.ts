/** What answers an operation instead of a class of the project: a class that a feature makes from the configuration. */
import { mapContributions } from '../features.ts'
import type { MessageDefinition } from './content/message-definition.ts'
import type { DocumentTemplate } from './document-template.ts'
import type { HandlerClass } from './handler.ts'
import type { UriTemplate } from './uri/uri-template.ts'

/** The class, with all that other folders ask of it. */
export interface Substitute extends HandlerClass {
  /** The name of its row: the state of the operation in the adoption report. */
  readonly state: SubstituteState
  /** All that it can answer, each once; undefined if the operation's messages say it. */
  readonly responses?: readonly MessageDefinition[]
  /** Values of a URL that it answers. */
  sampleValues?(template: UriTemplate, document: DocumentTemplate | undefined): ReadonlyMap<string, readonly string[]>
}

const forwards = mapContributions('substitutes', (row: { readonly forwards?: boolean }) => row.forwards)
type SubstituteState = keyof typeof forwards

/** The state of operations that another server answers; undefined without a feature that forwards. */
export const forwarding = (Object.keys(forwards) as SubstituteState[]).find((state) => forwards[state])
