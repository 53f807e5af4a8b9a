/** Every metric, in the order of the scrape (specification 20.3, 20.4). What is not in this table is not told. */

export interface Metric {
  readonly type: 'histogram' | 'summary' | 'counter' | 'gauge'
  readonly help: string
}

export const metricTable = {
  ig_build_info: { type: 'gauge', help: 'Always 1; version, Node and digest of the build are labels.' },
  ig_workers: { type: 'gauge', help: 'Processes of this instance that report.' },
  ig_request_duration_seconds: {
    type: 'histogram',
    help: 'From the head of a call to its answer, by operation, method, status class and result of the cache.',
  },
  ig_failed_requests_total: {
    type: 'counter',
    help: 'Calls that were refused, with whatever status, or answered with 4xx or 5xx.',
  },
  ig_refusals_total: { type: 'counter', help: 'Refused calls by operation and code.' },
  ig_requests_in_flight: { type: 'gauge', help: 'Calls that came and are not answered yet.' },
  ig_connections: { type: 'gauge', help: 'Open connections of clients.' },
  ig_revision: { type: 'gauge', help: 'The same as ig_revision_served.' },
  ig_revision_served: { type: 'gauge', help: 'Revision that the process serves; none where files are served.' },
  ig_revision_active: {
    type: 'gauge',
    help: 'Revision that is active in the store. Another one than ig_revision_served: the process cannot serve it.',
  },
  ig_store_age_seconds: { type: 'gauge', help: 'Since the store was last read: beyond a few seconds it is stale.' },
  ig_store_stale: { type: 'gauge', help: '1 while the store does not answer and calls are served with what is known.' },
  ig_condition: { type: 'gauge', help: '1 while a condition of the process that /readyz lists holds, by its name.' },
  ig_clock_offset_seconds: { type: 'gauge', help: 'The clock of the database less that of this machine.' },
  ig_certificate_expires_timestamp_seconds: {
    type: 'gauge',
    help: 'When the first certificate of a TLS listener expires, in Unix time, by listener: calls or administration.',
  },
  ig_operators: { type: 'gauge', help: 'Operators that are known.' },
  ig_database_connections: { type: 'gauge', help: 'Open connections to the database, by pool and state.' },
  ig_database_waiting: { type: 'gauge', help: 'Transactions that wait for a connection, or for the writer.' },
  ig_cache_entries: { type: 'gauge', help: 'Entries in memory, by cache.' },
  ig_cache_bytes: { type: 'gauge', help: 'Bytes in memory, by cache.' },
  ig_cache_failures_total: {
    type: 'counter',
    help: 'Reads and writes of the REST cache that the database did not take; the calls were served without it.',
  },
  ig_memory_budget_bytes: { type: 'gauge', help: 'What calls may hold of memory, all together: ig.limits.memory.' },
  ig_memory_reserved_bytes: { type: 'gauge', help: 'What of it bodies, XML trees, responses and the REST cache hold.' },
  ig_events_total: { type: 'counter', help: 'What the gateway met outside calls, by event.' },
  ig_notes_total: { type: 'counter', help: 'What was noted about calls, by level.' },
  ig_log_dropped_total: {
    type: 'counter',
    help: 'Log entries that came faster than they could be written, for which the disk had no room, or of refused calls beyond 1,000 a second, by log.',
  },
  ig_monitor_lost_total: {
    type: 'counter',
    help: 'Transactions that the monitor did not keep, by reason: rate or database.',
  },
  ig_trace_spans_total: { type: 'counter', help: 'Spans of traces, by what became of them: exported or dropped.' },
  process_cpu_seconds_total: { type: 'counter', help: 'Processor time, user and system.' },
  process_resident_memory_bytes: { type: 'gauge', help: 'Memory of the process.' },
  process_start_time_seconds: { type: 'gauge', help: 'When the process started, in Unix time.' },
  process_open_fds: { type: 'gauge', help: 'Open file descriptors.' },
  nodejs_heap_size_used_bytes: { type: 'gauge', help: 'Heap in use.' },
  nodejs_heap_size_total_bytes: { type: 'gauge', help: 'Heap that is reserved.' },
  nodejs_external_memory_bytes: { type: 'gauge', help: 'Memory of buffers and the like.' },
  nodejs_gc_duration_seconds: { type: 'summary', help: 'Garbage collection by kind.' },
  nodejs_eventloop_lag_p50_seconds: {
    type: 'gauge',
    help: 'How late the event loop was, median since the last report.',
  },
  nodejs_eventloop_lag_p99_seconds: { type: 'gauge', help: 'How late the event loop was, 99th percentile.' },
  nodejs_eventloop_lag_max_seconds: { type: 'gauge', help: 'How late the event loop was at most.' },
} as const satisfies Readonly<Record<string, Metric>>
