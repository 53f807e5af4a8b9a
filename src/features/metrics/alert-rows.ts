/** Alerts as rows: since when each is active, the last ones that ended, and silences (specification 43.8, 43.9). */
import type { Kysely } from 'kysely'
import type { Databases } from '../../store/feature-tables.ts'
import type { Tables } from '../../store/tables.ts'
import { inTransaction } from '../../store/transaction.ts'
import type { FoundAlert } from './find-alerts.ts'

export type StoredAlert = Tables['ig_alert']
export type Silence = Tables['ig_alert_silence']

export interface AlertStore {
  active(): Promise<readonly StoredAlert[]>
  /** The last that ended first. */
  ended(): Promise<readonly StoredAlert[]>
  silences(now: number): Promise<readonly Silence[]>
  /** Begins what is found and not active, and ends what was not found for a minute. @returns what this call changed */
  follow(found: readonly FoundAlert[], now: number): Promise<AlertChanges>
  silence(silence: Silence): Promise<true>
  /** @returns false if there is none */
  unsilence(name: string, subject: string): Promise<boolean>
}

export interface AlertChanges {
  readonly begun: readonly StoredAlert[]
  readonly ended: readonly StoredAlert[]
}

/** Ended alerts that are kept. */
export const maxEnded = 500
/** Milliseconds. */
const endsAfter = 60_000
/** An active alert is written again no more often, in milliseconds. */
const seenEvery = 10_000
const wait = 2_000
const limit = 4_000

export function openAlertRows({ main: database }: Pick<Databases, 'main'>): AlertStore {
  const { reader } = database
  const active = () => reader.selectFrom('ig_alert').selectAll().where('ended', 'is', null).orderBy('began').execute()
  return {
    active,
    ended: () => {
      const rows = reader.selectFrom('ig_alert').selectAll().where('ended', 'is not', null)
      return rows.orderBy('ended', 'desc').orderBy('began', 'desc').limit(maxEnded).execute()
    },
    silences: (now) => reader.selectFrom('ig_alert_silence').selectAll().where('until', '>', now).execute(),
    async follow(found, now) {
      const known = new Map((await active()).map((alert) => [keyOf(alert), alert]))
      const keys = new Set(found.map(keyOf))
      const isDue = (alert: FoundAlert) => now - (known.get(keyOf(alert))?.seen ?? 0) >= seenEvery
      const due = found.filter(isDue)
      const isOver = [...known].some(([key, { seen }]) => !keys.has(key) && now - seen > endsAfter)
      if (due.length === 0 && !isOver) return { begun: [], ended: [] }
      return inTransaction(
        database,
        async (transaction) => {
          const rows = due.map((alert) => ({ ...alert, began: now, seen: now, ended: null }))
          for (const { name, subject, detail } of rows.filter((row) => known.has(keyOf(row)))) {
            const own = transaction.updateTable('ig_alert').where('name', '=', name).where('subject', '=', subject)
            await own.where('ended', 'is', null).set({ seen: now, detail }).execute()
          }
          const unknown = rows.filter((row) => !known.has(keyOf(row)))
          const begun = unknown.length === 0 ? [] : await begin(transaction, unknown)
          const ended = await transaction
            .updateTable('ig_alert')
            .set(({ ref }) => ({ ended: ref('seen') }))
            .where('ended', 'is', null)
            .where('seen', '<', now - endsAfter)
            .returningAll()
            .execute()
          if (ended.length > 0) await prune(transaction, now)
          return { begun, ended }
        },
        wait,
        limit,
      )
    },
    silence: (silence) =>
      inTransaction(database, async (transaction) => {
        await transaction
          .insertInto('ig_alert_silence')
          .values(silence)
          .onConflict((conflict) => conflict.columns(['name', 'subject']).doUpdateSet(silence))
          .execute()
        return true as const
      }),
    unsilence: (name, subject) =>
      inTransaction(database, async (transaction) => {
        const removal = transaction
          .deleteFrom('ig_alert_silence')
          .where('name', '=', name)
          .where('subject', '=', subject)
        return (await removal.returning('name').execute()).length > 0
      }),
  }
}

/** @returns those that no other instance began */
function begin(transaction: Kysely<Tables>, rows: readonly StoredAlert[]): Promise<StoredAlert[]> {
  const insertion = transaction.insertInto('ig_alert').values([...rows])
  return insertion
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .execute()
}

async function prune(transaction: Kysely<Tables>, now: number): Promise<void> {
  await transaction.deleteFrom('ig_alert_silence').where('until', '<=', now).execute()
  const oldest = await transaction
    .selectFrom('ig_alert')
    .select('ended')
    .where('ended', 'is not', null)
    .orderBy('ended', 'desc')
    .offset(maxEnded)
    .limit(1)
    .executeTakeFirst()
  if (oldest?.ended != null) await transaction.deleteFrom('ig_alert').where('ended', '<=', oldest.ended).execute()
}

export function keyOf({ name, subject }: Pick<FoundAlert, 'name' | 'subject'>): string {
  return `${name}:${subject}`
}
