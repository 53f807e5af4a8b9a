/**
 * Why a document of the identity provider could not be fetched: the kind of failure, never its text, which may quote a
 * secret page (specification 3.22).
 */

import { AddressRefused } from '../base/refused-addresses.ts'

const kinds = {
  addressRefused: 'its address is link-local or private, and is refused (ig.oauth.privateAddresses)',
  nameUnknown: 'its host name cannot be resolved',
  notReached: 'the connection failed',
  notTrusted: 'TLS failed',
  timedOut: 'no complete answer within 5 seconds',
  notHttp: 'the answer is not HTTP',
  redirected: 'it redirects; redirects are not followed',
  status: 'the status is not 200',
  tooLong: 'the document is longer than 512 KiB',
  notJson: 'the document is not JSON',
  otherOperator: 'the field for the operator id has another value',
  resultCode: 'it answers with another result code',
} as const

export type FailureKind = keyof typeof kinds

export class FetchFailure extends Error {
  override readonly name = 'FetchFailure'
  readonly kind: FailureKind

  /** @param detail a status, or a system error code */
  constructor(kind: FailureKind, detail?: string | number) {
    super(detail === undefined ? kinds[kind] : `${kinds[kind]} (${detail})`)
    this.kind = kind
  }
}

/** The first pattern that matches the code; `fetch-json.ts` throws the others itself. */
const codes: readonly (readonly [RegExp, FailureKind])[] = [
  [/^(?:ENOTFOUND|EAI_)/, 'nameUnknown'],
  [/^HPE_/, 'notHttp'],
  [/^EPROTO$/, 'notTrusted'],
  [/^E[A-Z]+$/, 'notReached'],
]

/** For every error of a request. Codes that are not the system's own are OpenSSL's: `CERT_HAS_EXPIRED`. */
export function asFetchFailure(error: unknown): FetchFailure {
  if (error instanceof FetchFailure) return error
  if (error instanceof AddressRefused) return new FetchFailure('addressRefused')
  const { code = '' } = error as NodeJS.ErrnoException
  const [, kind] = codes.find(([pattern]) => pattern.test(code)) ?? []
  return new FetchFailure(kind ?? 'notTrusted', code || undefined)
}
