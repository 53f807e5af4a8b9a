/**
 * Every setting, of the kernel and of the features. A new one is one row in its group: `npm run docs:tables` writes the
 * documentation's table.
 */
import { type All, together } from '../features.ts'
import { admin } from './groups/administration.ts'
import { compatibility } from './groups/compatibility.ts'
import { database } from './groups/database.ts'
import { gateway } from './groups/gateway.ts'
import { idempotency } from './groups/idempotency.ts'
import { limits } from './groups/limits.ts'
import { log, recentTransactions } from './groups/logs.ts'
import { metrics } from './groups/metrics.ts'
import { monitor } from './groups/monitor.ts'
import { oauth2 } from './groups/oauth2.ts'
import { fetch } from './groups/outgoing-calls.ts'
import { passThrough } from './groups/pass-through.ts'
import { passwords } from './groups/passwords.ts'
import { project } from './groups/project.ts'
import { proxies } from './groups/proxies.ts'
import { sessionToken } from './groups/session-tokens.ts'
import { tls } from './groups/tls.ts'
import { tracing } from './groups/traces.ts'
import { workers } from './groups/workers.ts'
import type { Rows, Values } from './row.ts'

const ofFeatures = together('settings')

/** By the titles for people. */
export const groups = {
  Gateway: gateway,
  Database: database,
  Project: project,
  'Outgoing calls': { fetch },
  'Pass-through': { passThrough },
  'Idempotency keys': { idempotency },
  OAuth2: oauth2,
  'Old passwords': { passwords },
  'Session tokens': { sessionToken },
  TLS: { tls },
  Proxies: { proxies },
  Compatibility: { compatibility },
  Administration: { admin },
  Logs: { log, recentTransactions },
  Monitor: { monitor },
  Metrics: { metrics },
  Traces: { tracing },
  Workers: { workers },
  Limits: { limits },
  ...ofFeatures,
} as const satisfies Readonly<Record<string, Rows>>

/** By their names in the code; a group here is a group in `Settings`. */
export const table = {
  ...gateway,
  ...database,
  ...project,
  fetch,
  passThrough,
  idempotency,
  ...oauth2,
  passwords,
  sessionToken,
  tls,
  proxies,
  compatibility,
  admin,
  log,
  recentTransactions,
  monitor,
  metrics,
  tracing,
  workers,
  limits,
  ...(Object.assign({}, ...Object.values(ofFeatures)) as All<(typeof ofFeatures)[keyof typeof ofFeatures]>),
} as const satisfies Rows

export type TableValues = Values<typeof table>
