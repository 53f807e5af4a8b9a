/** The contract of what the store keeps of revisions and activations (specification 13.1). */
import type { Activation, Revision, RevisionSummary } from '../model/configuration/revision.ts'

/** Nothing here changes or removes a revision. */
export interface RevisionStore {
  /** The newest first. */
  list(): Promise<readonly RevisionSummary[]>
  find(number: number): Promise<Revision | undefined>
  /** What is in force; undefined before the first activation. */
  active(): Promise<Activation | undefined>
  /** The newest first. */
  activations(): Promise<readonly Activation[]>
  /** Numbers a revision, stores it and puts it in force: all of it, or nothing where another one is in force than expected. */
  add(revision: NewRevision, options: ActivationOptions): Promise<ActivationOutcome>
  /** Puts a revision of the store in force again, or does nothing, as above. */
  activate(number: number, options: ActivationOptions): Promise<ActivationOutcome>
}

export interface NewRevision {
  /** As `writeDocument` writes it. */
  readonly document: string
  readonly digest: string
}

export interface ActivationOptions {
  /** The revision that was in force when the change was decided; undefined for none. */
  readonly expectedActive: number | undefined
  /** Its activation, where no other one of the same revision is meant. */
  readonly expectedSequence?: number
  readonly note?: string
  /** Who makes the revision. */
  readonly author?: string
  /** Epoch milliseconds. */
  readonly time: number
}

export type ActivationOutcome =
  | { readonly activation: Activation }
  /** Nothing was done: this one is in force, not the expected one. */
  | { readonly activeInstead: number | undefined }
