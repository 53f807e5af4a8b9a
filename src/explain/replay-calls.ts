/**
 * Recorded calls against a draft (specification 21.24): which of them the draft refuses and the active configuration does
 * not, by URL, address, verification and permission. No handler runs, and no password or limit is looked at.
 */
import type { Catalog } from '../configuration/catalog.ts'
import type { Operation } from '../model/operation.ts'
import type { Operator } from '../model/operator.ts'
import { Refusal } from '../model/refusal.ts'
import type { RecordedCall } from '../model/usage.ts'
import { type Mode, verificationOf } from '../model/verification.ts'
import type { Settings } from '../settings.ts'
import { bindUri } from '../steps/bind-uri.ts'
import { findOperation } from '../steps/find-operation.ts'
import { readTarget, type TargetParts } from '../steps/read-target.ts'
import { requireAllowedOrigin } from '../steps/require-allowed-origin.ts'
import { requirePermission } from '../steps/require-permission.ts'

export interface ReplayParts {
  readonly settings: Settings
  readonly targets: TargetParts['targets']
  readonly operators: ReadonlyMap<string, Operator>
}

export interface NewRefusal {
  readonly operation: string
  readonly refusal: Refusal
}

/** @returns undefined if the draft serves the call, or the active configuration does not either */
export function findNewRefusal(
  call: RecordedCall,
  active: Catalog,
  draft: Catalog,
  parts: ReplayParts,
): NewRefusal | undefined {
  const caller = parts.operators.get(call.operator)
  if (!caller || caller.isLocked) return undefined
  const before = decide(call, caller, active, parts)
  if (!before || before instanceof Refusal) return undefined
  const after = decide(call, caller, draft, parts, modesOf(before, call.operator === active.anonymousOperatorId))
  return after instanceof Refusal ? { operation: before.id, refusal: after } : undefined
}

/** What the caller can have been verified by; nothing if the call had no credentials. */
function modesOf({ verification }: Operation, isAnonymous: boolean): readonly Mode[] {
  const { allowsAnonymous, takes } = verificationOf(verification)
  return allowsAnonymous && isAnonymous ? [] : takes
}

/** @returns undefined if no operation answers */
function decide(call: RecordedCall, caller: Operator, catalog: Catalog, parts: ReplayParts, sent?: readonly Mode[]) {
  const { method, url, remoteAddress } = call
  const request = { method, target: url, headers: { host: '' }, remoteAddress, isSecure: true }
  try {
    const target = readTarget(request, catalog, parts)
    if (target.kind !== 'operation') return undefined
    const operation = findOperation(target, method, catalog, parts)
    requireAllowedOrigin(request, operation, parts)
    requirePermission(sent ? findCaller(caller, sent, operation, catalog, parts) : caller, operation)
    bindUri(target, operation)
    return operation
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

/** @throws Refusal that of the mode */
function findCaller(
  caller: Operator,
  sent: readonly Mode[],
  { verification }: Operation,
  { anonymousOperatorId = '' }: Catalog,
  { operators }: ReplayParts,
): Operator {
  const { takes, allowsAnonymous, refusal = 'permissionDenied', words } = verificationOf(verification)
  if (sent.some((mode) => takes.includes(mode))) return caller
  const anonymous = allowsAnonymous && operators.get(anonymousOperatorId)
  if (anonymous && !anonymous.isLocked) return anonymous
  const had = sent.map((mode) => verificationOf(mode).words).join(' or ') || 'no credentials'
  throw new Refusal(refusal, `The operation requires ${words}; the call had ${had}.`)
}
