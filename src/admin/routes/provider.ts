/** Signing in with an identity provider (specification 34.1 to 34.8). Browsers come to these routes by navigation. */
import { z } from 'zod'
import { AdminProblem, notFound } from '../../actions/problem-details.ts'
import { administratorName, name } from '../../actions/schemas.ts'
import { withClaimed } from '../../model/claimed-name.ts'
import { hasName } from '../../store/administration/administrator-rows.ts'
import { hashPassword } from '../../verification/password.ts'
import type { AdminParts } from '../parts.ts'
import { route } from '../route.ts'
import { makeSecret } from '../secrets.ts'
import type { Flows } from '../sign-in/flows.ts'
import { type Person, type Provider, refusedAnswer } from '../sign-in/provider.ts'
import { findClaim, findGranting, roleOfValues } from '../sign-in/role-of-claims.ts'
import { makeSession } from './session.ts'

const tag = 'Session'
const path = '/api/session/provider'
/** Characters of a page's path that the cookie has room for. */
const maxPlace = 1000
const callbackPath = `${path}/callback`
/** The action of the audit where the provider knows a person to whom it gives no access. */
export const refuseAction = 'refuseProviderSignIn'

const ways = name(
  'WaysToSignIn',
  z.object({
    passwords: z.boolean(),
    provider: z.object({ label: z.string().describe('Text of the button') }).nullable(),
  }),
)

export const providerRoutes = [
  route({
    operationId: 'getWaysToSignIn',
    tag,
    summary: 'Get how administrators can sign in',
    method: 'GET',
    path: '/api/sign-in',
    access: 'public',
    answer: ways,
    async handle({ parts: { settings, provider } }) {
      const label = provider?.settings.label
      return { body: { passwords: settings.admin?.passwords !== false, provider: label ? { label } : null } }
    },
  }),
  route({
    operationId: 'beginProviderSignIn',
    tag,
    summary: 'Begin to sign in with the identity provider; for browsers',
    description: 'Redirects to the provider, which sends the browser back to the console.',
    method: 'GET',
    path,
    access: 'public',
    query: z.object({ to: z.string().default('/').describe('The page of the console to open afterwards') }),
    status: 303,
    refusedAt: '/console',
    problems: ['notFound', 'providerAway', 'providerRejected'],
    async handle({ query, url, flow: cookie, parts }) {
      const begun = await requireProvider(parts).begin(new URL(callbackPath, url).href)
      return {
        location: begun.url,
        flow: parts.flows.add(cookie, { ...begun.flow, to: query.to.length > maxPlace ? '/' : query.to }),
      }
    },
  }),
  route({
    operationId: 'finishProviderSignIn',
    done: 'Signed in with the identity provider',
    tag,
    summary: 'Where the identity provider sends the browser back to',
    method: 'GET',
    path: callbackPath,
    query: z.looseObject({}), // providers add members of their own
    access: 'public',
    isGuarded: true,
    status: 303,
    refusedAt: '/console',
    problems: ['notFound', 'providerAway', 'providerRejected', 'accessDenied', 'nameTaken'],
    async handle({ url, flow: cookie, parts, audit, audited }) {
      const provider = requireProvider(parts)
      const { to, ...begun } = requireFlow(cookie, url, parts)
      const person = await provider.finish(new URL(url), begun)
      const { identities, administrators, sessions } = parts.store.administration
      const known = await identities.find(person)
      const found = findRole(person, provider)
      const subject = `${person.subject} of ${person.issuer}`
      const { secret, ...session } = makeSession(parts.now())
      if (!found.role || known?.isLocked) {
        const reason = found.role ? 'locked' : `no value of the claim ${provider.settings.roleClaim} gives a role`
        const change = { actor: known?.name ?? subject, action: refuseAction, subject, after: { reason } }
        const isDismissed =
          !found.role && (await audited(change).administration.identities.dismiss(person, session.created))
        if (!isDismissed) await audit(change)
        throw new AdminProblem('accessDenied', 'Ask an administrator of the gateway.', { reason })
      }
      await sessions.removeExpired(session.created)
      const name = known?.name ?? readName(person, provider)
      const passwordHash = await hashPassword(makeSecret()) // no one knows it
      const { issuer, subject: ofIssuer } = person
      const identity = { issuer, subject: ofIssuer, claimed: found.claimed }
      const made = { name, role: found.role, passwordHash, created: session.created, identity }
      const { administration } = audited((result) => {
        const { before, after } = result as { readonly before?: unknown; readonly after?: unknown }
        return { actor: name, subject, ...(before !== undefined && { before }), after }
      })
      const isAdmitted = await administration.identities.admit(made, session)
      if (!isAdmitted) throw findRefusal(hasName(await administrators.list(), name), name)
      return { session: secret, flow: parts.flows.drop(cookie, url), location: placeOf(to) }
    },
  }),
]

/** @throws AdminProblem */
function requireProvider({ provider }: AdminParts): Provider {
  if (provider) return provider
  throw notFound('identity provider (ig.admin.oidc.issuer)')
}

/** @throws AdminProblem */
function requireFlow(cookie: string | undefined, url: string, { flows }: { readonly flows: Flows }) {
  const found = flows.find(cookie, url)
  if (found) return found
  throw refusedAnswer('the browser did not begin it, or took more than 10 minutes')
}

function findRole({ claims }: Person, { settings }: Provider) {
  const claimed = findGranting(findClaim(claims, settings.roleClaim), settings)
  return { claimed, role: roleOfValues(claimed, settings) }
}

/** @throws AdminProblem */
function readName({ claims }: Person, { settings: { nameClaim } }: Provider): string {
  const { success, data } = administratorName.safeParse(findClaim(claims, nameClaim))
  if (success) return data
  throw refusedAnswer(
    `the claim ${nameClaim} (ig.admin.oidc.nameClaim) is missing or no name of 1 to 60 ASCII characters`,
  )
}

function findRefusal(isTaken: boolean, name: string): AdminProblem {
  if (!isTaken) return new AdminProblem('conflict', 'Sign in again.')
  const reason = withClaimed('ig.admin.oidc.nameClaim can name another claim', name)
  return new AdminProblem('nameTaken', 'Ask an administrator of the gateway.', { reason })
}

/** Whatever it says, a path of the console. */
function placeOf(to: string): string {
  const { pathname, search } = new URL(`/console${to}`, 'http://console')
  return /^\/console(?:\/|$)/.test(pathname) ? pathname + search : '/console'
}
