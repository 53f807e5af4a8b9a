/** The newest transactions: what reports over the monitor read, whatever it holds. */
import type { Kysely } from 'kysely'
import type { Tables } from '../../store/tables.ts'
import { readLatest } from './list.ts'

const lookedThrough = 100_000

export interface ReadPosition {
  /** The transactions after this sequence number are read. */
  readonly after: number
  /** Whether they are all since that time. */
  readonly reachBack: boolean
}

/** @param from epoch milliseconds */
export async function findNewest(reader: Kysely<Tables>, from: number): Promise<ReadPosition> {
  const after = (await readLatest(reader)) - lookedThrough
  const older = await reader
    .selectFrom('ig_monitor')
    .select('time')
    .where('sequence', '<=', after)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst()
  return { after, reachBack: (older?.time ?? 0) < from }
}
