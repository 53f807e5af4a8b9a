/** Every metric, in the order of the scrape (specification 20.3, 20.4). Only metrics of this table are exposed. */
import { mergeContributions } from '../../features.ts'

export interface Metric {
  readonly type: 'histogram' | 'summary' | 'counter' | 'gauge'
  readonly help: string
}

export type Metrics = Readonly<Record<string, Metric>>

export const metricTable = {
  ig_build_info: { type: 'gauge', help: 'Always 1; version, Node and digest of the build are labels.' },
  ig_workers: { type: 'gauge', help: 'Processes of this instance that serve calls and report.' },
  ig_workers_configured: { type: 'gauge', help: 'Processes that should serve calls: ig.workers, or one.' },
  ig_requests_total: {
    type: 'counter',
    help: 'Calls by operation, method, status class, cache result and outcome: served, refused or failed.',
  },
  ig_request_duration_seconds: {
    type: 'histogram',
    help: 'Duration of served and failed calls, from request headers to response, by the same labels.',
  },
  ig_refusals_total: { type: 'counter', help: 'Refused and failed calls by operation and code.' },
  ig_requests_in_flight: { type: 'gauge', help: 'Calls in progress.' },
  ig_connections: { type: 'gauge', help: 'Open client connections.' },
  ig_revision: { type: 'gauge', help: 'The same as ig_revision_served.' },
  ig_revision_served: { type: 'gauge', help: 'Revision that the process serves; absent if it serves files.' },
  ig_revision_active: {
    type: 'gauge',
    help: 'Active revision of the store. If it differs from ig_revision_served, the process cannot serve it.',
  },
  ig_store_age_seconds: {
    type: 'gauge',
    help: 'Time since the store was last read; after more than a few seconds, the process is stale.',
  },
  ig_store_stale: { type: 'gauge', help: '1 during a store outage, while calls use the data read last.' },
  ig_condition: { type: 'gauge', help: '1 while a condition that /readyz lists applies to the process, by name.' },
  ig_clock_offset_seconds: { type: 'gauge', help: 'Clock of the database minus clock of this machine.' },
  ig_certificate_expires_timestamp_seconds: {
    type: 'gauge',
    help: 'Unix time at which the first certificate of a TLS listener expires, by listener: calls or administration.',
  },
  ig_operators: { type: 'gauge', help: 'Operators in memory.' },
  ig_database_connections: { type: 'gauge', help: 'Open connections to the database, by pool and state.' },
  ig_database_connections_limit: { type: 'gauge', help: 'Connections that the process may open, by pool.' },
  ig_database_waiting: { type: 'gauge', help: 'Transactions that wait for a connection or the writer.' },
  ig_memory_budget_bytes: { type: 'gauge', help: 'Memory limit for all calls together: ig.limits.memory.' },
  ig_memory_reserved_bytes: { type: 'gauge', help: 'Memory that bodies, XML trees, responses and the REST cache use.' },
  ig_events_total: { type: 'counter', help: 'Events outside calls, by event.' },
  ig_notes_total: { type: 'counter', help: 'Notes about calls, by level.' },
  ig_log_dropped_total: {
    type: 'counter',
    help: 'Log entries dropped because the disk was too slow or full, or that exceed 100 refused calls a second, by log.',
  },
  ...mergeContributions('metrics'),
  process_cpu_seconds_total: { type: 'counter', help: 'Processor time, user and system.' },
  process_resident_memory_bytes: {
    type: 'gauge',
    help: 'Memory of the process; worker="supervisor" is the one that starts the others.',
  },
  process_start_time_seconds: { type: 'gauge', help: 'Unix time at which the process started.' },
  process_open_fds: { type: 'gauge', help: 'Open file descriptors.' },
  nodejs_heap_size_used_bytes: { type: 'gauge', help: 'Heap in use.' },
  nodejs_heap_size_total_bytes: { type: 'gauge', help: 'Reserved heap.' },
  nodejs_external_memory_bytes: { type: 'gauge', help: 'Memory of buffers and other objects outside the heap.' },
  nodejs_gc_duration_seconds: { type: 'summary', help: 'Garbage collection by kind.' },
  nodejs_eventloop_lag_p50_seconds: {
    type: 'gauge',
    help: 'Event loop delay, median since the last report.',
  },
  nodejs_eventloop_lag_p99_seconds: { type: 'gauge', help: 'Event loop delay, 99th percentile since the last report.' },
  nodejs_eventloop_lag_max_seconds: { type: 'gauge', help: 'Event loop delay, maximum since the last report.' },
} as const satisfies Metrics
