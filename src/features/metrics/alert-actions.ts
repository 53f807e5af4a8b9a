/** Alerts: what is active and what was, and silences (specification 43.7 to 43.9). */
import { z } from 'zod'
import { action } from '../../actions/action.ts'
import { AdminProblem, notFound } from '../../actions/problem-details.ts'
import { flag, name, time, toTime } from '../../actions/schemas.ts'
import { severities } from '../../model/alert.ts'
import { keyOf, maxEnded, openAlertRows } from './alert-rows.ts'
import { isOfOperation } from './find-alerts.ts'
import { metricsOff } from './require-metrics.ts'
import { loadAlerts } from './watch-alerts.ts'

const tag = 'Alerts'
const alert = name(
  'Alert',
  z.object({
    id: z.string().describe('GatewaySlow:ECHO_GET.v1'),
    name: z.string().describe('That of its rule for Prometheus, and of its section in /docs/how-to/alerts'),
    title: z.string(),
    severity: z.enum(severities),
    operation: z.string().nullable(),
    instance: z.string().nullable(),
    began: time,
    ended: time.nullable().describe('Null: it is active'),
    detail: z.string().describe('The value and its threshold, as last found'),
    means: z.string(),
    action: z.string().describe('What to do'),
    silencedUntil: time.nullable(),
    silencedBy: z.string().nullable(),
  }),
)
const byId = z.object({ id: z.string().max(500).describe('The id of the alert, as listed by ig alert list') })
/** Milliseconds. */
const maxSilence = 90 * 24 * 3_600_000

export const alertActions = [
  action({
    operationId: 'listAlerts',
    tag,
    summary: 'List the active alerts, or the last ones that ended',
    description: `At most ${maxEnded} that ended. An alert ends when no instance has found it for a minute.`,
    method: 'GET',
    path: '/api/alerts',
    access: 'viewer',
    query: z.object({ ended: flag.default(false).describe('Those that ended, the last first') }),
    commandLine: {
      verb: 'alert list',
      columns: {
        ALERT: 'id',
        SEVERITY: 'severity',
        SINCE: 'began',
        ENDED: 'ended',
        'SILENCED UNTIL': 'silencedUntil',
        DETAIL: 'detail',
        'WHAT TO DO': 'action',
      },
      empty: 'There are no alerts.',
    },
    answer: z.object({ items: z.array(alert) }),
    problems: ['metricsOff'],
    async handle({ parts, query }) {
      if (!parts.settings.metrics.isOn) throw metricsOff()
      const stored = openAlertRows(parts.store.databases)
      const now = parts.now() + parts.store.clockOffset
      const table = await loadAlerts()
      const rows = query.ended ? await stored.ended() : await stored.active()
      const silences = new Map((await stored.silences(now)).map((silence) => [keyOf(silence), silence]))
      const items = rows.flatMap((row) => {
        const known = table[row.name]
        if (!known) return [] // of a feature that is gone
        const { title, severity, means, action } = known
        const { name, subject, began, ended, detail } = row
        const silence = silences.get(keyOf(row))
        const [operation, instance] = isOfOperation(name) ? [subject, null] : [null, subject]
        return {
          ...{ id: keyOf(row), name, title, severity, operation, instance, detail, means, action },
          began: toTime(began),
          ended: ended === null ? null : toTime(ended),
          silencedUntil: silence ? toTime(silence.until) : null,
          silencedBy: silence?.by_whom ?? null,
        }
      })
      return { body: { items } }
    },
  }),
  action({
    operationId: 'silenceAlert',
    done: 'Silenced an alert',
    tag,
    summary: 'Silence an active alert until a time of the next 90 days',
    description: 'It stays listed, and is no longer reported: no event, no mark. Also if it ends and begins again.',
    method: 'PUT',
    path: '/api/alerts/:id/silence',
    access: 'operator',
    commandLine: {
      verb: 'alert silence',
      args: ['id'],
      says: (_, { id, until }) => `${id} is silent until ${until}.`,
    },
    params: byId,
    body: z.object({ until: time }),
    example: { until: '2026-12-01T08:00:00Z' },
    problems: ['notFound', 'metricsOff'],
    async handle({ parts, params: { id }, body, audited, caller }) {
      if (!parts.settings.metrics.isOn) throw metricsOff()
      const active = await openAlertRows(parts.store.databases).active()
      const found = active.find((each) => keyOf(each) === id)
      if (!found) throw notFound('active alert', id, active.map(keyOf))
      const now = parts.now() + parts.store.clockOffset
      const until = Date.parse(body.until)
      if (!(until > now && until <= now + maxSilence))
        throw new AdminProblem('invalid', 'until must be in the next 90 days.')
      const rows = openAlertRows(audited({ subject: id, after: body }).databases)
      await rows.silence({ name: found.name, subject: found.subject, until, by_whom: caller.name })
      return {}
    },
  }),
  action({
    operationId: 'unsilenceAlert',
    done: 'Ended the silence of an alert',
    tag,
    summary: 'End the silence of an alert',
    method: 'DELETE',
    path: '/api/alerts/:id/silence',
    access: 'operator',
    commandLine: { verb: 'alert unsilence', args: ['id'], says: (_, { id }) => `${id} is reported again.` },
    params: byId,
    problems: ['notFound'],
    async handle({ params: { id }, audited }) {
      const [, name = id, subject = ''] = /^([^:]*):(.*)$/.exec(id) ?? []
      const rows = openAlertRows(audited({ subject: id }).databases)
      if (!(await rows.unsilence(name, subject))) throw notFound('silence of the alert', id)
      return {}
    },
  }),
]
