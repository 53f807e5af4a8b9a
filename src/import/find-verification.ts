/** The verification of recorded calls: what they used, or what their refusals demand (specification 16.18). */
import type { Problem } from '../model/problem.ts'
import { isSecretHeader } from '../model/secret-name.ts'
import { hasCookie, modeOfHeader, modeOfScheme, modeRows } from '../model/verification.ts'
import type { PlacedUrl } from './place-url.ts'
import type { RecordedCall, Recording } from './recording.ts'
import { type Claim, demand, demandUnknown, isOpen, mergeClaims, nameOf, refused, silent } from './verification.ts'

type Headers = readonly (readonly [name: string, value: string])[]

export interface SeenCall {
  readonly url: Pick<PlacedUrl, 'secrets'>
  /** Of the request. */
  readonly headers: Headers
  readonly status: number
  readonly answerHeaders: Headers
}

/** @param stated what its collection says, or `open` where a call without credentials shows that it needs none */
export function readClaim({ url, headers, status, answerHeaders }: SeenCall, stated: Claim): Claim {
  const demands = [
    ...(isOpen(stated) ? [] : [stated]),
    ...headers.flatMap(readHeader),
    ...url.secrets.map((name) => demandUnknown(`${name} in the URL`)),
    ...(status === 401 ? readChallenges(answerHeaders) : []),
  ]
  if (demands.length > 0) return mergeClaims(demands)
  if (status === 401 || status === 403) return refused
  const isRedirect = [301, 302, 303, 307, 308].includes(status) // to a page to sign in, perhaps
  return isRedirect || headers.some(([name]) => !harmless.test(name)) ? silent : stated
}

/** What clients send that have no credentials. */
const harmless =
  /^(?::.*|accept.*|baggage|cache-control|connection|content-.*|date|dnt|forwarded|host|idempotency-key|if-.*|keep-alive|languagecd|origin|pragma|priority|range|referer|save-data|sec-.*|soapaction|te|traceparent|tracestate|transfer-encoding|upgrade-insecure-requests|user-agent|via|x-forwarded-.*|x-requested-with)$/i

function readHeader([name, value]: readonly [name: string, value: string]): readonly Claim[] {
  const known = name.toLowerCase()
  if (known === 'cookie') {
    const row = modeRows.find(({ cookie }) => cookie !== undefined && hasCookie(value, cookie))
    return [row ? demand(row.mode) : demandUnknown('cookies')]
  }
  if (known === 'authorization') {
    const [scheme = ''] = /^[\w-]+/.exec(value.trim()) ?? []
    const mode = modeOfScheme(scheme)
    return [mode ? demand(mode) : demandUnknown(scheme || 'the header Authorization')]
  }
  const mode = modeOfHeader(known)
  if (mode) return [demand(mode)]
  return isCredential(known) ? [demandUnknown(`the header ${name}`)] : []
}

/** Or a header that names the caller, or a variable whose name is not known. */
export function isCredential(header: string): boolean {
  if (/idempotency|^sec-|^proxy-authorization$|^:?authority$|^user-agent$/i.test(header)) return false
  return isSecretHeader(header) || /auth|cert|user|login|identity|\{\{/i.test(header)
}

/** Those of the first challenge that is known; each begins its header or follows a comma (RFC 9110, 11.6.1). */
function readChallenges(headers: Headers): readonly Claim[] {
  const stated = headers.filter(([name]) => name.toLowerCase() === 'www-authenticate').map(([, value]) => value)
  const parts = stated.flatMap((value) => value.replace(/"(?:[^"\\]|\\.)*"/gs, '').split(/[,\n]/))
  const schemes = parts.flatMap((part) => /^\s*([\w-]+)(?!\s*=)(?=\s|$)/.exec(part)?.[1] ?? [])
  const mode = schemes.map(modeOfScheme).find((one) => one !== undefined)
  if (mode) return [demand(mode)]
  return schemes.length > 0 ? [demandUnknown(...schemes)] : []
}

/** Of the calls of one operation, those that are left out included. */
export function findVerification(group: readonly (RecordedCall | Recording)[], notices: Problem[]): Claim {
  const [{ url, method }] = group as [RecordedCall]
  const path = nameOf({ ...url, method })
  const claim = mergeClaims(group.map((one) => one.claim))
  const used = new Set(group.filter((one) => !isOpen(one.claim)).map((one) => one.claim.verification))
  if (used.size > 1) {
    const message = `is called with ${[...used].join(' and ')}: it gets the strictest, ${claim.verification}`
    notices.push({ path, message })
  }
  const isAnswered = (one: RecordedCall | Recording) => 'answer' in one && one.answer.status < 300
  const open = used.size > 0 && group.find((one) => isOpen(one.claim) && isAnswered(one))
  if (open)
    notices.push({ path: open.place, message: `has no credentials: other calls of ${path} show that they are needed` })
  return claim
}
