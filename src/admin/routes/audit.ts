/** The audit, and whether it is as it was chained (specification 18.30, 18.34). */
import { z } from 'zod'
import { type ActionParts, action, type Caller } from '../../actions/action.ts'
import { notFound } from '../../actions/problem-details.ts'
import { hasRole } from '../../actions/roles.ts'
import { flag, name, paging, time, toTime } from '../../actions/schemas.ts'
import { type AuditVerdict, describeLink } from '../../store/administration/audit-chain.ts'
import { type AuditEntry, type AuditFilter, viaCommandLine } from '../../store/administration/contract.ts'
import { administratorRoutes } from './administrators.ts'
import { inviteActions } from './invite.ts'
import { providerRoutes, refuseAction } from './provider.ts'
import { secondFactorRoutes } from './second-factors.ts'
import { sessionRoutes } from './session.ts'
import { tokenRoutes } from './tokens.ts'

const auditEntry = name(
  'AuditEntry',
  z.object({
    sequence: z.int(),
    time,
    actor: z.string(),
    via: z.string(),
    address: z.string(),
    action: z.string().describe('The operationId in this API'),
    subject: z.string(),
    before: z.unknown().optional(),
    after: z.unknown().optional(),
  }),
)
const isCut = z.boolean().optional().describe('before or after was left out: GET /api/audit/{sequence} has them')

/** Maximum number of bytes of a value in a list without long values. */
const shortValue = 1000

const hash = z.string().regex(/^[0-9a-f]{64}$/)

/** Actions on administrators, their sessions and tokens: roles below administrator see their own entries only (18.8). */
export const actionsOnPeople: readonly string[] = [
  ...[
    ...sessionRoutes,
    ...providerRoutes,
    ...secondFactorRoutes,
    ...administratorRoutes,
    ...tokenRoutes,
    ...inviteActions,
  ]
    .filter(({ done }) => done !== undefined)
    .map(({ operationId }) => operationId),
  refuseAction,
]

export const auditRoutes = [
  action({
    operationId: 'listAudit',
    tag: 'Audit',
    summary: 'List audit entries, newest first',
    description:
      'The database refuses to change or remove entries. Roles below administrator see only their own entries about administrators, and no address or token name in others. To get the next page, send the last sequence as before.',
    method: 'GET',
    path: '/api/audit',
    access: 'viewer',
    commandLine: {
      verb: 'audit list',
      description:
        'The database refuses to change or remove entries. ig audit show prints an entry with the values before and after.',
      inputs: { isShort: { description: 'leave out before and after if longer than 1,000 bytes' } },
      columns: { SEQUENCE: 'sequence', TIME: 'time', ACTOR: 'actor', VIA: 'via', ACTION: 'action', SUBJECT: 'subject' },
      empty: 'There are no such entries.',
      next: ({ sequence }, { after }) => (after === undefined ? { before: sequence } : { after: sequence }),
    },
    query: z.object({
      actor: z.string().optional().describe('Name of the administrator, or of the user of ig'),
      action: z.string().optional().describe('Name of the action: lockOperator'),
      subject: z.string().max(200).optional().describe('Part of the subject'),
      from: time.optional().describe('Only entries from this time on: 2026-01-31T08:00:00Z'),
      to: time.optional().describe('Only entries before this time'),
      before: z.coerce.number().int().min(1).optional().describe('Only entries before this sequence'),
      after: z.coerce
        .number()
        .int()
        .min(0)
        .optional()
        .describe('Only entries after this sequence, the oldest first: to follow the audit'),
      isShort: flag.optional().describe('true: leaves out before and after if longer than 1,000 bytes'),
      limit: paging.shape.limit,
    }),
    answer: z.object({ items: z.array(name('ListedAuditEntry', auditEntry.extend({ isCut }))) }),
    async handle({ parts, caller, query: { from, to, actor, action, subject, before, after, isShort, limit } }) {
      const items = await listFor(caller, parts, {
        limit,
        ...(isShort && { valuesUpTo: shortValue }),
        ...(actor !== undefined && { actor }),
        ...(action !== undefined && { action }),
        ...(subject !== undefined && { subject }),
        ...(before !== undefined && { before }),
        ...(after !== undefined && { after }),
        ...(from !== undefined && { from: Date.parse(from) }),
        ...(to !== undefined && { to: Date.parse(to) }),
      })
      return { body: { items } }
    },
  }),
  action({
    operationId: 'getAuditEntry',
    tag: 'Audit',
    summary: 'Get an audit entry',
    method: 'GET',
    path: '/api/audit/:sequence',
    access: 'viewer',
    commandLine: { verb: 'audit show', args: ['sequence'] },
    params: z.object({ sequence: z.coerce.number().int().min(1).describe('Number of the entry') }),
    answer: auditEntry,
    async handle({ parts, caller, params: { sequence } }) {
      const [entry] = await listFor(caller, parts, { after: sequence - 1, before: sequence + 1, limit: 1 })
      if (!entry) throw notFound(`audit entry ${sequence}`)
      return { body: entry }
    },
  }),
  action({
    operationId: 'getAuditChain',
    tag: 'Audit',
    summary: 'List all audit entries with their hashes, oldest first',
    description: 'As ig audit export writes them. Send next as after, until next is null.',
    method: 'GET',
    path: '/api/audit/chain',
    access: 'administrator',
    query: z.object({
      after: z.coerce.number().int().min(0).default(0).describe('Only entries after this sequence'),
    }),
    answer: z.object({
      items: z.array(
        name(
          'AuditLink',
          auditEntry.extend({ hash: hash.optional().describe('Absent until the next change chains the entry') }),
        ),
      ),
      next: z.int().nullable(),
    }),
    async handle({ parts, query }) {
      const links = await parts.store.administration.audit.page(query.after)
      return {
        body: { items: links.flatMap((link) => describeLink(link) ?? []), next: links.at(-1)?.sequence ?? null },
      }
    },
  }),
  action({
    operationId: 'verifyAudit',
    tag: 'Audit',
    summary: 'Verify the hash chain of the audit log',
    description:
      'Computes the hash of each entry, like ig audit verify. With an earlier `head`, also verifies that the entries up to it still exist; the log has the head hourly, and every export has it.',
    method: 'GET',
    path: '/api/audit/verification',
    access: 'viewer',
    query: z.object({ head: hash.optional().describe('An earlier head') }),
    answer: name(
      'AuditVerification',
      z.object({
        isVerified: z.boolean(),
        entries: z.int(),
        head: hash.nullable().describe('The last hash; null before the first entry'),
        difference: z
          .object({ sequence: z.int(), reason: z.string() })
          .nullable()
          .describe('The first entry that does not match the chain'),
        hasHead: z.boolean().nullable().describe('Whether the chain contains the head in the query'),
      }),
    ),
    async handle({ parts, query }) {
      return { body: describeVerdict(await parts.store.administration.audit.verify(query.head)) }
    },
  }),
]

export function describeVerdict(verdict: AuditVerdict) {
  const { entries, head = null, difference = null, hasHead = null } = verdict
  return { isVerified: !difference && hasHead !== false, entries, head, difference, hasHead }
}

async function listFor(caller: Caller, { store }: ActionParts, filter: Omit<AuditFilter, 'own'>) {
  const seesPeople = hasRole(caller.role, 'administrator')
  const own = seesPeople ? undefined : { actions: actionsOnPeople, actor: caller.name }
  const isOwn = ({ actor, via }: AuditEntry) => actor === caller.name && via !== viaCommandLine
  const entries = await store.administration.audit.list({ ...filter, own })
  return entries
    .map((entry) => (seesPeople || isOwn(entry) ? entry : withoutPerson(entry)))
    .map(({ time, ...rest }) => ({ ...rest, time: toTime(time) }))
}

/** Drafts and revisions show their author, but not address and token. */
function withoutPerson(entry: AuditEntry): AuditEntry {
  return { ...entry, via: entry.via.replace(/^token .*/su, 'token'), address: '' }
}
