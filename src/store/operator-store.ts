/** The contract of operators in the store (specification 3.1). */

import type { OperatorChange, PreparedEntry } from '../configuration/operator-file/apply-entry.ts'
import type { EmailAddress, Operator } from '../model/operator.ts'

export interface OperatorStore {
  list(): Promise<readonly Operator[]>
  /** The ids of those that hold a permission list, in order. */
  holders(permissionList: string): Promise<readonly string[]>
  /** How many hold each permission list; none: it is not in the result. */
  countHolders(permissionLists: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** A part of the list: of 100,000 operators only its own are read. */
  page(query: OperatorQuery): Promise<OperatorPage>
  find(id: string): Promise<Operator | undefined>
  /** Replaced by each change. If another version than expected is stored, nothing changes. */
  versionOf(id: string): Promise<number | undefined>
  /** @returns false if the id exists: nothing changes then */
  add(operator: NewOperator): Promise<boolean>
  /** What importing them would change, in their order. */
  preview(entries: readonly PreparedEntry[]): Promise<readonly OperatorChange[]>
  /** All in one transaction. @returns false if nothing changes */
  import(entries: readonly PreparedEntry[]): Promise<readonly OperatorChange[] | false>
  /** What `setHolders` would change; unknown operators would be `added`. */
  previewHolders(permissionList: string, ids: readonly string[]): Promise<readonly OperatorChange[]>
  /** Exactly these hold the list. @returns false if nothing changes */
  setHolders(permissionList: string, ids: readonly string[]): Promise<readonly OperatorChange[] | false>
  /**
   * The same password in another form: session tokens stay valid.
   * @param replaced undefined for none @returns false if the operator has another one by now
   */
  replacePasswordHash(id: string, replaced: string | undefined, passwordHash: string): Promise<boolean>
  /** Each returns false if no such operator exists. */
  setPasswordHash(id: string, passwordHash: string): Promise<boolean>
  /** Replaces all of them. */
  setEmails(
    id: string,
    emails: readonly EmailAddress[],
    expectedVersion?: number,
  ): Promise<ValueChange<Pick<Operator, 'emails'>> | false>
  /** Replaces all of them: names in the notation of `parseCertificateName`. */
  setCertificates(
    id: string,
    certificates: readonly string[],
    expectedVersion?: number,
  ): Promise<ValueChange<{ readonly certificates: readonly string[] }> | false>
  setDescription(
    id: string,
    description: string,
    expectedVersion?: number,
  ): Promise<ValueChange<Pick<Operator, 'description'>> | false>
  setLocked(id: string, isLocked: boolean): Promise<ValueChange<Pick<Operator, 'isLocked'>> | false>
  /**
   * With its password, addresses, certificates, grants and session tokens: those stay refused if the id is added again.
   * @returns false if no such operator exists
   */
  remove(id: string): Promise<{ readonly before: Omit<Operator, 'id' | 'passwordHash'> } | false>
  grant(id: string, permissionList: string): Promise<ValueChange<Pick<Operator, 'permissionLists'>> | false>
  /** False also if it does not hold the list. */
  revoke(id: string, permissionList: string): Promise<ValueChange<Pick<Operator, 'permissionLists'>> | false>
}

export interface OperatorPage {
  readonly operators: readonly Operator[]
  readonly total: number
  /** A search found more than the total: counting them all would take too long. */
  readonly isMore: boolean
}

export interface OperatorQuery {
  /** Part of id, description or address, case-insensitive. */
  readonly search?: string | undefined
  /** Part of the id, case-insensitive. */
  readonly id?: string | undefined
  readonly isLocked?: boolean | undefined
  readonly permissionList?: string | undefined
  readonly sort: 'id' | 'description' | 'isLocked' | 'permissionLists'
  readonly isDescending: boolean
  readonly offset: number
  readonly limit: number
}

/** Both are read inside the transaction of the change, so no other change comes in between. */
export interface ValueChange<T> {
  readonly before: T
  readonly after: T
}

export interface NewOperator {
  readonly id: string
  readonly description?: string
  readonly passwordHash?: string
  readonly emails?: readonly EmailAddress[]
  readonly isLocked?: boolean
  readonly certificates?: readonly string[]
  readonly permissionLists?: readonly string[]
}
