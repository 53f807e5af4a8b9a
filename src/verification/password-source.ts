/** What verifies the first password of an operator that has none here; Basic asks it. */
import type { WaitingClient } from './bounded-work.ts'

export interface PasswordSource {
  /** `The original` */
  readonly server: string
  isOpen(): boolean
  /** @returns false for a wrong password @throws Refusal `overloaded` if the server does not say in time */
  verify(question: PasswordQuestion): Promise<boolean>
}

export interface PasswordQuestion {
  readonly id: string
  readonly password: string
  readonly client: WaitingClient
  /** Time by `performance.now()`. */
  readonly until: number
}
