/** The verification of recorded calls: what they used, or what their refusals demand (specification 16.18). */
import type { Problem } from '../../model/problem.ts'
import { isSecretHeader } from '../../model/secret-name.ts'
import { modeOfHeader, modeOfScheme, modeRows } from '../../model/verification.ts'
import type { PlacedUrl } from './place-url.ts'
import type { RecordedCall, Recording } from './recording.ts'
import { type Claim, demand, demandUnknown, doubt, isOpen, mergeClaims, nameOf, refused } from './verification.ts'

type Headers = readonly (readonly [name: string, value: string])[]

export interface SeenCall {
  readonly url: Pick<PlacedUrl, 'secrets'>
  /** Headers of the request. */
  readonly headers: Headers
  readonly status: number
  readonly answerHeaders: Headers
  /** Parts of the recording that cannot be read: there may be credentials in them. */
  readonly unread?: readonly string[]
}

/** @param stated what its collection says, or `open` where a call without credentials shows that it needs none */
export function readClaim({ url, headers, status, answerHeaders, unread = [] }: SeenCall, stated: Claim): Claim {
  const isRedirect = [301, 302, 303, 307, 308].includes(status) // to a page to sign in, perhaps
  return mergeClaims([
    stated,
    ...headers.flatMap(readHeader),
    ...url.secrets.map((name) => demandUnknown(`"${name}" in the URL`)),
    ...unread.map((name) => demandUnknown(`${name} that cannot be read`)),
    ...(status === 401 ? readChallenges(answerHeaders) : []),
    ...(status === 401 || status === 403 ? [refused] : []),
    ...(isRedirect ? [doubt('a redirect')] : []),
  ])
}

function readHeader([name, value]: readonly [name: string, value: string]): readonly Claim[] {
  if (/^cookie$/i.test(name)) return value.replace(/;\s*$/, '').split(';').map(readCookie)
  if (/^authorization$/i.test(name)) {
    const [scheme = ''] = /^[\w-]+/.exec(value.trim()) ?? []
    const mode = modeOfScheme(scheme)
    return [mode ? demand(mode) : demandUnknown(scheme || 'the header Authorization')]
  }
  return harmless.test(name) ? [] : [readNamed(name, `the header ${JSON.stringify(name)}`)]
}

/** Some recorders hide cookies. */
function readCookie(pair: string): Claim {
  const [, name] = /^\s*([^=\s]+)\s*=/.exec(pair) ?? []
  return name === undefined ? demandUnknown('cookies that cannot be read') : readNamed(name, `the cookie "${name}"`)
}

function readNamed(name: string, what: string): Claim {
  const mode = modeOfHeader(name) ?? modeRows.find(({ cookie }) => cookie === name)?.mode
  if (mode) return demand(mode)
  return isCredential(name) ? demandUnknown(what) : doubt(what)
}

/** A header or a cookie with the name of a credential (8.7), or of what signs callers on. */
export function isCredential(name: string): boolean {
  return !harmless.test(name) && (isSecretHeader(name) || signOn.test(name))
}

/** Sessions, and what a proxy that signs callers on says of them. */
const signOn = namesOf(
  'session|smsession|fedauth|mrhsession|iplanetdirectorypro|\\.aspxauth|mod_auth_openidc_session|_shibsession_.*|' +
    '(?:x-)?(?:remote|forwarded|authenticated|auth)[-_]user(?:[-_]?id)?|x-auth-request-(?:user|email)|oam_remote_user|' +
    'sm_?user|iv-(?:user|creds)|osso-user-(?:dn|guid)|x-ms-client-principal(?:-id|-name)?|x-amzn-oidc-identity|' +
    'x-goog-authenticated-user-(?:email|id)|cf-access-authenticated-user-email|(?:x-)?(?:ssl[-_])?client[-_]cert|' +
    'x-forwarded-client-cert|x-arr-clientcert|x-amzn-mtls-clientcert(?:-.*)?',
)

/** What clients send that has no credentials for the operation. */
const harmless = namesOf(
  ':.*|accept.*|baggage|cache-control|connection|content-.*|date|dnt|forwarded|host|idempotency-key|if-.*|keep-alive|' +
    'languagecd|origin|pragma|priority|proxy-.*|range|referer|save-data|sec-.*|soapaction|te|traceparent|tracestate|' +
    'transfer-encoding|upgrade-insecure-requests|user-agent|via|x-forwarded-(?:for|host|port|prefix|proto|server)|' +
    'x-requested-with',
)

function namesOf(names: string): RegExp {
  return new RegExp(`^(?:${names})$`, 'i')
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

/** Infers the verification from the calls of one operation, those that are left out included. */
export function inferVerification(group: readonly (RecordedCall | Recording)[], notices: Problem[]): Claim {
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
