/** The badges of the access control system: a PostgreSQL database of its own, which handlers and jobs share one pool to. */
import { defineResource, defineSettings, type ProcessContext } from 'integration-gateway'
import pg from 'pg'

export const settings = defineSettings({
  badges: { variable: 'HR_BADGES_DATABASE', isRequired: false },
  rates: { variable: 'HR_RATES_URL', isSecret: false, isRequired: false },
})

export const badges = defineResource({
  name: 'badges',
  open({ setting }) {
    const connectionString = setting(settings.badges)
    if (!connectionString) throw new Error('HR_BADGES_DATABASE is not set')
    return new pg.Pool({ connectionString, max: 2 })
  },
  close: (pool) => pool.end(),
})

/** Undefined if the employee has none. Each look-up is measured, and logged with the transaction id of its call. */
export async function findBadge(context: ProcessContext, emplid: string): Promise<string | undefined> {
  const begun = context.now()
  const pool = await context.resource(badges)
  const { rows } = await pool.query('select badge from badges where emplid = $1', [emplid])
  context.metrics.observe('badge_lookup_seconds', (context.now() - begun) / 1000)
  context.log.debug('badge looked up', { emplid, isFound: rows.length > 0 })
  return rows[0]?.badge
}
