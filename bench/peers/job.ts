/**
 * What METADATA_BASIC does for a call, for the servers that do the same job: the same fast hash of a known credential,
 * the same pools of random bytes, the same permission look-up, the same reply. How it is put together is each server's own.
 */
import { hash, randomBytes, randomUUID } from 'node:crypto'
import { hashSync, verify } from '@node-rs/argon2'
import { openRandomTexts } from '../../src/base/random-text.ts'

export interface Job {
  readonly port: number
  /** Seconds. */
  readonly keepAlive: number
  readonly operator: { readonly id: string; readonly password: string }
  readonly contentType: string
  readonly revision: string
  readonly dbname: string
  readonly toolsRelease: string
  readonly dbType: string
  readonly serverTimeZone: string
}

export interface Operator {
  readonly id: string
  readonly passwordHash: string
  readonly permissionLists: readonly string[]
}

export const job = JSON.parse(process.argv[2] ?? '') as Job
export const path = '/PSIGW/RESTListeningConnector/:node/METADATA_BASIC.v1/'
export const permittedBy: ReadonlySet<string> = new Set(['REFERENCE_ALL'])

const { id, password } = job.operator
const operators = new Map<string, Operator>([
  [id, { id, passwordHash: hashSync(password), permissionLists: ['REFERENCE_ALL'] }],
])
const secret = randomBytes(32).toString('hex')
const remembered = new Map<string, Operator>()

/** Verified before, and not changed since. */
export function findKnown(authorization: string): Operator | undefined {
  const known = remembered.get(hash('sha256', secret + authorization))
  return known && operators.get(known.id) === known ? known : undefined
}

export async function verifyCredentials(
  authorization: string,
  name: string,
  given: string,
): Promise<Operator | undefined> {
  const operator = operators.get(name)
  if (!operator || !(await verify(operator.passwordHash, given))) return undefined
  remembered.set(hash('sha256', secret + authorization), operator)
  return operator
}

export function describeCall(operator: Operator, transactionId: string): string {
  return JSON.stringify({
    currentUser: operator.id,
    dbname: job.dbname,
    toolsRelease: job.toolsRelease,
    platformTransactionId: transactionId,
    responseDTTM: new Date().toUTCString(),
    dbType: job.dbType,
    serverTimeZone: job.serverTimeZone,
  })
}

export const newTransactionId = () => randomUUID()
export const newSessionId = openRandomTexts(24, 'base64url')
export const newTraceId = openRandomTexts(16, 'hex')
