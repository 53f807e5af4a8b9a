/** The verification of recorded calls: what they used, or what a recorded challenge demands (specification 16.18). */
import type { Problem } from '../model/problem.ts'
import type { FoundOperation } from './found.ts'
import type { Recording } from './recording.ts'
import { findStrictest } from './verification.ts'

export type FoundVerification = Pick<FoundOperation, 'verification' | 'isDeclaredOpen'>

/**
 * The strictest that the calls used. Without credentials in any, a recorded challenge says that they are needed; and only
 * calls that were seen live, without credentials, say that none are.
 */
export function findVerification(group: readonly Recording[], notices: Problem[]): FoundVerification {
  const [{ url, method }] = group as [Recording]
  const path = `${url.alias}.${url.version} ${method}`
  const used = new Set(group.flatMap(({ scheme }) => (scheme === undefined ? [] : verificationOf[scheme])))
  if (used.size > 0) {
    const verification = findStrictest([...used])
    const open = group.find(({ scheme, answer }) => scheme === undefined && answer.status < 300)
    if (used.size > 1)
      notices.push({
        path,
        message: `is called with ${[...used].join(' and ')}: it gets the strictest, ${verification}`,
      })
    if (open)
      notices.push({ path: open.place, message: `has no credentials: others of ${path} have, so they are needed` })
    return { verification, isDeclaredOpen: false }
  }
  const challenged = group.find(({ answer }) => answer.status === 401 && 'www-authenticate' in answer.headers)
  if (!challenged)
    return { verification: 'NONE', isDeclaredOpen: group.every(({ isDeclaredOpen }) => isDeclaredOpen === true) }
  const challenge = challenged.answer.headers['www-authenticate'] ?? ''
  const known = challenges.find(([pattern]) => pattern.test(challenge))
  if (!known)
    notices.push({ path: challenged.place, message: `demands ${challenge.slice(0, 60)}: ${path} gets Basic instead` })
  return { verification: known?.[1] ?? 'Basic', isDeclaredOpen: false }
}

const verificationOf = { basic: 'Basic', bearer: 'OAuth2', sessionToken: 'Token' } as const

/** Each challenge begins the header or follows a comma (RFC 9110, 11.6.1). */
const challenges = [
  [/(?:^|,)\s*basic\b/i, 'Basic'],
  [/(?:^|,)\s*bearer\b/i, 'OAuth2'],
  [/(?:^|,)\s*ps_token\b/i, 'Token'],
] as const
