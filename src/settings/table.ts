/**
 * Every setting, of the kernel and of the features. A new one is one row in its group: `npm run docs:tables` writes the
 * documentation's table.
 */
import { type IntersectionOf, listContributions, type mergeContributions } from '../features.ts'
import { admin } from './groups/administration.ts'
import { compatibility } from './groups/compatibility.ts'
import { database } from './groups/database.ts'
import { gateway } from './groups/gateway.ts'
import { limits } from './groups/limits.ts'
import { log, recentTransactions } from './groups/logs.ts'
import { oauth2 } from './groups/oauth2.ts'
import { fetch } from './groups/outgoing-calls.ts'
import { project } from './groups/project.ts'
import { proxies } from './groups/proxies.ts'
import { tls } from './groups/tls.ts'
import { workers } from './groups/workers.ts'
import type { Rows, Values } from './row.ts'

const kernel = {
  Gateway: gateway,
  Database: database,
  Project: project,
  'Outgoing calls': { fetch },
  OAuth2: oauth2,
  TLS: { tls },
  Proxies: { proxies },
  Compatibility: { compatibility },
  Administration: { admin },
  Logs: { log, recentTransactions },
  Workers: { workers },
  Limits: { limits },
} as const satisfies Groups

type Groups = Readonly<Record<string, Rows>>

const ofFeatures = listContributions<Groups>('settings')
const all: readonly Groups[] = [kernel, ...ofFeatures]

/** The settings by the titles of their groups; a feature may add to a group of the kernel. */
export const groups: Groups = Object.fromEntries(
  all.flatMap(Object.keys).map((title) => [title, Object.assign({}, ...all.map((rows) => rows[title]))]),
)

type OfFeatures = ReturnType<typeof mergeContributions<'settings'>>

/** The settings by their names in the code; a group here is a group in `Settings`, or `assemble` reshapes it. */
export const table = {
  ...gateway,
  ...database,
  ...project,
  fetch,
  ...oauth2,
  tls,
  proxies,
  compatibility,
  admin,
  log,
  recentTransactions,
  workers,
  limits,
  ...(Object.assign({}, ...ofFeatures.flatMap(Object.values<Rows>)) as IntersectionOf<OfFeatures[keyof OfFeatures]>),
} as const satisfies Rows

export type TableValues = Values<typeof table>
