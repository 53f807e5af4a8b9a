/** CHECK_BADGES, every minute: deactivates employees whose badge was withdrawn. */
import type { Job, JobContext } from 'integration-gateway'
import { findBadge } from '../lib/badges.ts'
import type { Tables } from '../tables.ts'

export class CheckBadges implements Job {
  async run(context: JobContext<Tables>) {
    const { database, log, metrics } = context
    const active = await database.selectFrom('EMPLOYEE').select('EMPLID').where('ACTIVE', '=', true).execute()
    const withdrawn: string[] = [] // all of them are found before the first write, which blocks other writers on SQLite
    for (const { EMPLID } of active) if ((await findBadge(context, EMPLID)) === 'withdrawn') withdrawn.push(EMPLID)
    for (const EMPLID of withdrawn) {
      await database.updateTable('EMPLOYEE').set({ ACTIVE: false }).where('EMPLID', '=', EMPLID).execute()
      metrics.count('deactivated_total')
      log.information('deactivated', { emplid: EMPLID })
    }
  }
}
