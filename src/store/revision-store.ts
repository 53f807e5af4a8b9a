/** The contract of revisions and activations in the store (specification 13.1). */
import type { Activation, Revision, RevisionSummary } from '../configuration/revision.ts'

/** Nothing here changes or removes a revision. */
export interface RevisionStore {
  /** The newest first. */
  list(): Promise<readonly RevisionSummary[]>
  find(number: number): Promise<Revision | undefined>
  /** The active revision; undefined before the first activation. */
  active(): Promise<Activation | undefined>
  /** The newest first. */
  activations(): Promise<readonly Activation[]>
  /** Numbers a revision, stores and activates it: all of it, or nothing if another revision is active than expected. */
  add(revision: NewRevision, options: ActivationOptions): Promise<ActivationOutcome>
  /** Activates a stored revision again, or does nothing, as above. */
  activate(number: number, options: ActivationOptions): Promise<ActivationOutcome>
}

export interface NewRevision {
  /** The configuration as `writeDocument` writes it. */
  readonly document: string
  readonly digest: string
}

export interface ActivationOptions {
  /** The revision that was active when the change was decided; undefined for none. */
  readonly expectedActive: number | undefined
  /** Its activation, unless any activation of that revision will do. */
  readonly expectedSequence?: number
  readonly note?: string
  /** The author of the revision. */
  readonly author?: string
  /** Epoch milliseconds. */
  readonly time: number
}

export type ActivationOutcome =
  | { readonly activation: Activation }
  /** Nothing was done: this revision is active instead of the expected one. */
  | { readonly activeInstead: number | undefined }
