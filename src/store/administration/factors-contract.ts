/** The contract of second factors in the store (specification 34.20 to 34.25, 34.27). */
import type { ValueChange } from '../operator-store.ts'

export interface Factor {
  readonly id: string
  readonly administrator: string
  readonly kind: 'totp' | 'passkey'
  /** That the person gave it. */
  readonly name: string
  /** Of a TOTP its key, as `sealText` writes it; of a passkey JSON with its public key. */
  readonly secret: string
  /** The last time step of a TOTP that was used, the signature counter of a passkey. */
  readonly counter: number
  /** Epoch milliseconds, as all times here. */
  readonly created: number
  readonly used: number | undefined
}

/** What a person was asked to prove: by digest, used once. */
export interface Challenge {
  readonly digest: string
  readonly administrator: string
  /** JSON. */
  readonly content: string
  readonly expires: number
}

/** A recovery code by its digest, or a factor and its new counter. */
export type Proof = { readonly code: string } | { readonly factor: string; readonly counter: number }

interface NewSession {
  readonly digest: string
  readonly administrator: string
  readonly created: number
  readonly used: number
  readonly expires: number
}

export interface FactorStore {
  /** The factors of one administrator or of all, the oldest first. */
  list(administrator?: string): Promise<readonly Factor[]>
  /** Recovery codes that are left. */
  countCodes(administrator: string): Promise<number>
  /** Replaces the one with this digest. */
  ask(challenge: Challenge, now: number): Promise<true>
  findChallenge(digest: string, now: number): Promise<Challenge | undefined>
  /**
   * Counts a code before it is verified. The count restarts with a sign-in, a change of the person, and after a day.
   * @returns how many it has
   */
  countCode(administrator: string, version: number, now: number): Promise<number>
  /**
   * Adds a factor, ends all sessions of the person but this one, and stores the codes if it is the first factor.
   * @returns false if the challenge was used or has expired
   */
  add(
    factor: Factor,
    by: { readonly challenge: string; readonly session: string; readonly codes: readonly string[] },
  ): Promise<{ readonly isFirst: boolean } | false>
  /** Ends all sessions of the person but this one. @returns false if the person has no such factor */
  remove(administrator: string, id: string, session: string): Promise<boolean>
  /** @returns false if the person has no factor */
  replaceCodes(administrator: string, codes: readonly string[]): Promise<boolean>
  /**
   * Adds a session, by a challenge and a proof that are both used up.
   * @param by with the version of the administrator whose password was verified
   * @returns false if either was used before, or the person has been changed or locked
   */
  signIn(
    session: NewSession,
    by: { readonly challenge: string; readonly version: number; readonly proof: Proof },
  ): Promise<boolean>
  /** Removes all factors and codes, and ends all sessions. @returns false if the person has none */
  reset(administrator: string): Promise<ValueChange<{ readonly secondFactors: readonly string[] }> | false>
  /** Replaces a key that is still sealed as it was read. */
  reseal(factor: Pick<Factor, 'id' | 'secret'>, sealed: string): Promise<boolean>
}
