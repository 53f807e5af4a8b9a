/** The counters of the last minutes, the history of metrics, and alerts (specification 20.9, 43.1, 43.8). */
import { sql } from 'kysely'
import type { FeatureTables } from '../../store/feature-tables.ts'

declare module '../../store/tables.ts' {
  interface Tables {
    /** Counters of an instance for a few seconds. */
    ig_instance_step: { time: number; instance: string; counts: string }
    /** Calls of a minute or an hour; `details` is JSON. */
    ig_metric: {
      resolution: number
      time: number
      operation: string
      writer: string
      calls: number
      refused: number
      failed: number
      slow: number
      seconds: number
      longest: number
      details: string
    }
    /** An alert: times of the database in epoch milliseconds; `ended` is null while it is active. */
    ig_alert: { name: string; subject: string; began: number; seen: number; ended: number | null; detail: string }
    ig_alert_silence: { name: string; subject: string; until: number; by_whom: string }
  }
}

export const mainTables: FeatureTables = {
  async create(database, { text }) {
    await sql`create table ig_alert (
      name ${text} not null, subject ${text} not null, began double precision not null,
      seen double precision not null, ended double precision, detail text not null,
      constraint ig_alert_key primary key (name, subject, began))`.execute(database)
    await sql`create unique index ig_alert_active on ig_alert (name, subject) where ended is null`.execute(database)
    await sql`create table ig_alert_silence (
      name ${text} not null, subject ${text} not null, until double precision not null, by_whom text not null,
      constraint ig_alert_silence_key primary key (name, subject))`.execute(database)
  },
  times: [{ table: 'ig_alert', times: { began: 0, seen: 0, ended: 0 } }],
}

export const cacheTables: FeatureTables = {
  async create(database, { text }) {
    await sql`create table ig_instance_step (
      time bigint not null, instance ${text} not null, counts text not null,
      constraint ig_instance_step_key primary key (time, instance))`.execute(database)
    await sql`create table ig_metric (
      resolution integer not null, time bigint not null, operation ${text} not null,
      writer ${text} not null, calls double precision not null, refused double precision not null,
      failed double precision not null, slow double precision not null, seconds double precision not null,
      longest double precision not null, details text not null,
      constraint ig_metric_key primary key (resolution, time, operation, writer))`.execute(database)
    await database.schema
      .createIndex('ig_metric_operation')
      .on('ig_metric')
      .columns(['operation', 'resolution', 'time'])
      .execute()
  },
}
