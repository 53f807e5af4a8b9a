/** A verb of `ig`, as a row. */
import type { Command } from 'commander'

export interface Verb {
  readonly summary: string
  /** Adds arguments, options and the action. */
  load(): Promise<(command: Command) => void>
  /** Internal. */
  readonly isHidden?: boolean
}
